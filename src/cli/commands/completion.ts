import { Argument, type Command } from 'commander';
import { closedArgument } from '../closed-lists.ts';
import { type Cli, topCommand } from '../command-io.ts';
import { bashScript } from '../completion/bash.ts';
import { fishScript } from '../completion/fish.ts';
import { positionsOf } from '../completion/positions.ts';
import { zshScript } from '../completion/zsh.ts';

/** `carillon completion`: a script for a shell, which then completes without starting this program. */
const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript };

export function completionCommand(cli: Cli): Command {
  return topCommand(
    'completion',
    'carillon completion bash > ~/.local/share/bash-completion/completions/carillon\n' +
      'carillon completion zsh > ~/.zfunc/_carillon\n' +
      'carillon completion fish > ~/.config/fish/completions/carillon.fish',
  )
    .addArgument(closedArgument(new Argument('<shell>', 'bash, zsh or fish'), Object.keys(scripts)))
    .action((shell: keyof typeof scripts, _options: object, self: Command) => {
      cli.io.stdout.write(scripts[shell](positionsOf(self.parent!)));
    });
}
