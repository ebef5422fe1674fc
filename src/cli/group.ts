import type { Command } from 'commander';
import { CarillonError } from '../base/errors.ts';
import { command } from './cli.ts';

/** A command that only gathers others: called without one of them, it says which there are. */
export function group(
  name: string,
  description: string,
  example: string,
  parts: readonly Command[],
): Command {
  const made = command(name, description, example)
    .usage('<command>')
    // Else a command that does not exist would be called one argument too many.
    .allowExcessArguments(true)
    .action((_options: object, self: Command) => {
      const words = self.args;
      const names = parts.map((part) => part.name()).join(', ');
      const fault = words.length > 0 ? `has no command "${words[0]}"` : 'wants a command';
      throw new CarillonError('usage-invalid', `${name} ${fault}; it has ${names}`, {
        remedy: `Run \`carillon ${name} --help\` to see what each does.`,
      });
    });
  for (const part of parts) made.addCommand(part);
  return made;
}
