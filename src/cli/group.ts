import type { Command } from 'commander';
import { CarillonError } from '../base/errors.ts';
import { didYouMean } from './closed-lists.ts';
import { topCommand } from './command-io.ts';

/** A command that only groups others: called without one of them, it lists them. */
export function group(name: string, example: string, parts: readonly Command[]): Command {
  const made = topCommand(name, example)
    .usage('<command>')
    // Without this, commander reports an unknown command as an excess argument.
    .allowExcessArguments(true)
    .action((_options: object, self: Command) => {
      throw noCommand(self);
    });
  for (const part of parts) made.addCommand(part);
  return made;
}

/** Names what was typed in place of a command, the nearest command, and all there are. */
export function noCommand(group: Command, word = group.args[0]): CarillonError {
  const path = pathOf(group);
  const names = group.commands.map((part) => part.name());
  const fault = word === undefined ? 'needs a command' : `has no command "${word}"`;
  const near = word === undefined ? '' : didYouMean(word, names);
  return new CarillonError('usage-invalid', `${path.at(-1)} ${fault}${near}; it has ${names.join(', ')}`, {
    remedy: `Run \`${[...path, '--help'].join(' ')}\` to see what each does.`,
  });
}

/** The words as typed: `carillon campaign export`. */
export function pathOf(command: Command): string[] {
  return command.parent ? [...pathOf(command.parent), command.name()] : [command.name()];
}
