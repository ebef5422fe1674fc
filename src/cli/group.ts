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
      const words = self.args;
      const names = parts.map((part) => part.name()).join(', ');
      const fault = words.length > 0 ? `has no command "${words[0]}"` : 'needs a command';
      throw new CarillonError('usage-invalid', `${name} ${fault}; it has ${names}`, {
        remedy: `Run \`carillon ${name} --help\` to see what each does.`,
      });
    });
  for (const part of parts) made.addCommand(part);
  return made;
}
