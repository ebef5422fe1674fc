import type { Argument, Command, Option } from 'commander';
import { choicesOf } from '../closed-lists.ts';
import { wordsOf } from '../command-io.ts';

/**
 * The words that may be typed at each position of a command line, taken from the commands themselves. A shell's script is
 * made of it.
 */
export type TypedPosition = {
  /** The words before it, without the program's name: `campaign export`. */
  path: string;
  commands: { name: string; does: string }[];
  options: { names: string[]; does: string; takes: Value | null }[];
  /** The values that its arguments take, in order; the last of several phones takes all that follow. */
  takes: Value[];
};

/** A closed list of names, one or several with commas; a file; a folder; or text that only the person knows. */
export type Value = { values: readonly string[]; many: boolean } | 'file' | 'folder' | 'text';

/** Every position, the program itself first. */
export function positionsOf(program: Command): TypedPosition[] {
  const positions = within(program);
  // `help` is followed by the same words, and by nothing else.
  const helped = positions
    .filter(({ commands }) => commands.length > 0)
    .map(({ path, commands }) => ({
      path: `help ${path}`.trim(),
      commands: commands.filter(({ name }) => name !== 'help'),
      options: [],
      takes: [],
    }));
  return [...positions, ...helped];
}

function within(command: Command): TypedPosition[] {
  const help = command.createHelp();
  const position = {
    path: wordsOf(command).slice(1).join(' '),
    commands: help.visibleCommands(command).map((part) => ({ name: part.name(), does: part.description() })),
    options: help.visibleOptions(command).map((option) => ({
      names: [option.short, option.long].filter((name) => name !== undefined),
      does: option.description,
      takes: option.required || option.optional ? takenBy(option, placeholder(option)) : null,
    })),
    takes: command.registeredArguments.map((argument) => takenBy(argument, argument.name())),
  };
  return [position, ...command.commands.flatMap(within)];
}

/** The word in `--out <file>`. */
function placeholder({ flags }: Option): string {
  return /[<[]([^>\]]+)[>\]]/.exec(flags)?.[1] ?? '';
}

function takenBy(each: Option | Argument, word: string): Value {
  const choices = choicesOf(each);
  if (choices) return choices;
  if (word === 'file' || word === 'backup') return 'file';
  return word === 'folder' ? 'folder' : 'text';
}
