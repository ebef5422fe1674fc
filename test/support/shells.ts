import { execFileSync, spawnSync } from 'node:child_process';

/** The words that three shells offer at a tab, asked of the shells themselves. */
export type Shell = 'bash' | 'zsh' | 'fish';

/** Whether this shell is here. Skipped tests are printed; with CI_REQUIRE_ALL=1 that is a failure. */
export function canUseShell(shell: Shell): boolean {
  if (spawnSync(shell, ['-c', 'exit 0']).status === 0) return true;
  const line = `the completion of ${shell}: ${shell} is not on the PATH; install it (apt-get install ${shell}, brew install ${shell})`;
  if (process.env.CI_REQUIRE_ALL === '1') throw new Error(line);
  console.warn(`SKIPPED ${line}`);
  return false;
}

/** The words that are offered for each of these lines, with the cursor at its end, sorted. */
export const offers: Record<Shell, (script: string, lines: readonly string[], cwd: string) => string[][]> = {
  bash: (script, lines, cwd) => shown(run('bash', ['-c', inBash, script, ...lines], cwd)),
  fish: (script, lines, cwd) =>
    shown(run('fish', ['--no-config', '-c', inFish, script, ...lines], cwd)).map((items) =>
      items.map((item) => item.split('\t')[0]!.replace(/\/$/, '')),
    ),
  zsh: (script, lines, cwd) =>
    shown(run('zsh', ['-f', '-c', inZsh, 'zsh', script, ...lines], cwd)).map((items) =>
      items.flatMap(listed),
    ),
};

function run(shell: Shell, args: string[], cwd: string): string {
  const env = { PATH: process.env.PATH, HOME: cwd, TERM: 'dumb', COLUMNS: '400' };
  return execFileSync(shell, args, { cwd, env, encoding: 'utf8' });
}

function shown(text: string): string[][] {
  return text
    .replaceAll('\r\n', '\n')
    .split('\0')
    .slice(0, -1)
    .map((part) => part.split('\n').filter(Boolean).sort());
}

/** Items in columns, or one with its description; not the line as it is typed and drawn, nor what ends the answer. */
function listed(line: string): string[] {
  if (line.includes('\r') || line === 'END') return [];
  return line
    .split(/ +-- /)[0]!
    .trim()
    .split(/ {2,}/)
    .map((item) => item.replace(/\/$/, ''));
}

// As bash does at a tab: words are split at the signs of COMP_WORDBREAKS, too.
const inBash = String.raw`
source "$0"
for line; do
  COMP_WORDS=() COMPREPLY=()
  for word in $line; do
    if [[ $word == *=* ]]; then COMP_WORDS+=("\${word%%=*}" '='); word=\${word#*=}; [[ $word ]] || continue; fi
    COMP_WORDS+=("$word")
  done
  [[ $line == *' ' ]] && COMP_WORDS+=('')
  COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
  _carillon
  printf '%s\n' "\${COMPREPLY[@]}"
  printf '\0'
done`.replaceAll('\\${', '${');

const inFish = `
source $argv[1]
for line in $argv[2..]
    complete -C $line
    printf '\\0'
end`;

// Only an interactive shell completes, so one runs on a terminal of its own, which draws as plainly as it can. Its keys are
// those that a terminal does not take for itself while the shell is not reading.
const inZsh = `
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1=ASK; stty cols 400 rows 200; autoload -Uz compinit && compinit -u -D; source $1; LISTMAX=1000; bindkey '^P' list-choices; bindkey '^G' kill-whole-line; print REA''DY"
zpty -r shell all '*READY*ASK*'
shift
for line; do
  zpty -w -n shell "$line"$'\\x10\\x07'
  zpty -w shell "print EN''D"
  zpty -r shell all '*END*ASK*'
  print -r -- "$all"
  printf '\\0'
done`;
