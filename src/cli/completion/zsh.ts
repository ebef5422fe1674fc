import type { TypedPosition, Value } from './positions.ts';

/** The script for zsh: one function per position, each of which hands the rest of the line to the next. */
export function zshScript(positions: readonly TypedPosition[]): string {
  return `#compdef carillon
# The words that may be typed after carillon, for zsh. Made by \`carillon completion zsh\`.
${positions.map(functionOf).join('\n')}
# Loaded by its name from a folder of fpath, or read by source.
if [[ $funcstack[1] == _carillon ]]; then
  _carillon "$@"
else
  compdef _carillon carillon
fi
`;
}

function functionOf({ path, commands, options, takes }: TypedPosition): string {
  const specs = options.flatMap(({ names, does, takes }) =>
    names.map((name) =>
      takes === null
        ? quoted(`${name}[${escaped(does)}]`)
        : quoted(`*${name}${name.startsWith('--') ? '=' : '+'}[${escaped(does)}]${action(takes)}`),
    ),
  );
  if (commands.length === 0) {
    const positions = takes.map((each, at) =>
      quoted(`${at === takes.length - 1 ? '*' : at + 1}${action(each)}`),
    );
    return `${nameOf(path)}() {\n  _arguments ${lines([...specs, ...positions])}\n}`;
  }
  const names = commands.map(({ name, does }) => quoted(`${name}:${does}`));
  const next = commands.map(({ name }) => `      ${name}) ${nameOf(`${path} ${name}`.trim())} ;;`);
  return `${nameOf(path)}() {
  local curcontext="$curcontext" state line
  local -a commands
  typeset -A opt_args
  _arguments -C ${lines([...specs, quoted('1: :->command'), quoted('*:: :->rest')])}
  case $state in
    command)
      commands=(${lines(names)})
      _describe -t commands command commands
      ;;
    rest)
      case $line[1] in
  ${next.join('\n  ')}
      esac
      ;;
  esac
}`;
}

function lines(words: readonly string[]): string {
  return ['', ...words.map((word) => `    ${word}`)].join(' \\\n');
}

function action(takes: Value): string {
  if (takes === 'text') return ':value: ';
  if (takes === 'file') return ':file:_files';
  if (takes === 'folder') return ':folder:_files -/';
  return takes.many
    ? `:values:_values -s , value ${takes.values.join(' ')}`
    : `:value:(${takes.values.join(' ')})`;
}

function nameOf(path: string): string {
  return ['_carillon', ...path.split(' ').filter(Boolean)].join('_');
}

function escaped(text: string): string {
  return text.replace(/[[\]\\]/g, '\\$&');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
