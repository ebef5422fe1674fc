import { type Argument, Command, InvalidArgumentError, Option } from 'commander';

/**
 * Options whose values are a closed list: the help names the values, a shell completes them, and for a mistyped one the
 * nearest is suggested.
 */
type Choices = { values: readonly string[]; many: boolean };
const known = new WeakMap<Option | Argument, Choices>();

/** A longer list would hide the rest of the help. */
const mostListed = 12;

export function oneOf(flag: string, help: string, values: readonly string[]): Option {
  return closed(flag, help, { values, many: false });
}

/** One of these values, or several with commas between them. */
export function someOf(flag: string, help: string, values: readonly string[]): Option {
  return closed(flag, help, { values, many: true });
}

export function choicesOf(option: Option | Argument): Choices | null {
  return known.get(option) ?? null;
}

function closed(flag: string, help: string, choices: Choices): Option {
  const option = new Option(flag, help);
  const { values } = choices;
  known.set(option, choices);
  const isSaid = values.every((value) => new RegExp(`\\b${value}\\b`).test(help));
  if (values.length <= mostListed && !isSaid) option.argChoices = [...values];
  return option.argParser((typed: string, before: unknown) => {
    // Left empty by a script: not given.
    if (typed === '') return before;
    check(typed, choices);
    return typed;
  });
}

/** A first argument that is one of these. */
export function closedArgument(argument: Argument, values: readonly string[]): Argument {
  const choices = { values, many: false };
  known.set(argument, choices);
  return argument.argParser((typed: string) => {
    check(typed, choices);
    return typed;
  });
}

function check(typed: string, { values, many }: Choices): void {
  const words = many ? typed.split(',') : [typed];
  // The code that reads the value judges whether other spellings are accepted.
  const isOne = (word: string) =>
    values.some((value) => (many ? plain(value) === plain(word) : value === word));
  const wrong = words.find((word) => !isOne(word));
  if (wrong === undefined) return;
  const list = `${values.slice(0, -1).join(', ')} or ${values.at(-1)}`;
  const said = many ? `"${wrong.trim()}" is not one of ${list}` : `It must be ${list}`;
  throw new InvalidArgumentError(`${said}${didYouMean(wrong, values)}`);
}

const plain = (word: string) => word.trim().toLowerCase().replace(/[ _]/g, '-');

export function namesIn(list: string): string[] {
  return list.split(',').map((name) => name.trim());
}

/** ` (Did you mean show?)`, or nothing: as commander answers a mistyped command. */
export function didYouMean(word: string, names: readonly string[]): string {
  const program = new Command()
    .exitOverride()
    .helpOption(false)
    .helpCommand(false)
    .configureOutput({ writeErr: () => undefined });
  for (const name of names) program.addCommand(new Command(name));
  try {
    program.parse(['--', plain(word)], { from: 'user' });
  } catch (error) {
    const [said] = /\(Did you mean .*\)/.exec(error instanceof Error ? error.message : '') ?? [];
    if (said) return ` ${said}`;
  }
  return '';
}
