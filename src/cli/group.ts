import type { Command } from 'commander';
import { CarillonError } from '../base/errors.ts';
import { command } from './cli.ts';

/** A command that only groups others: called without one of them, it lists them. */
export function group(
  name: string,
  description: string,
  example: string,
  parts: readonly Command[],
): Command {
  const made = command(name, description, example)
    .usage('<command>')
    // Otherwise commander reports an unknown command as an excess argument.
    .allowExcessArguments(true)
    .action((_options: object, self: Command) => {
      throw noCommand(self);
    });
  for (const part of parts) made.addCommand(part);
  return made;
}

/** Names what was typed in the place of a command, and the commands there are. */
export function noCommand(group: Command): CarillonError {
  const [word] = group.args;
  const name = group.name();
  const names = group.commands.map((part) => part.name()).join(', ');
  const fault = word === undefined ? 'needs a command' : `has no command "${word}"`;
  return new CarillonError('usage-invalid', `${name} ${fault}; it has ${names}`, {
    remedy: `Run \`carillon ${name} --help\` to see what each does.`,
  });
}
