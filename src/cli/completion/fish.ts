import type { TypedPosition, Value } from './positions.ts';

/** The script for fish: a line for each word that may be typed, with the position where it may. */
export function fishScript(positions: readonly TypedPosition[]): string {
  const paths = positions.map(({ path }) => path).filter((path) => path !== '');
  return `# The words that may be typed after carillon, for fish. Made by \`carillon completion fish\`.
function __carillon_at
    set -l path
    for word in (commandline -opc)[2..]
        if contains -- (string join -- ' ' $path $word) ${paths.map(quoted).join(' ')}
            set -a path $word
        end
    end
    test "$path" = "$argv"
end
complete -c carillon -f
${positions.flatMap(linesOf).join('\n')}
`;
}

function linesOf({ path, commands, options, takes }: TypedPosition): string[] {
  const at = `complete -c carillon -n ${quoted(`__carillon_at ${path}`.trim())}`;
  return [
    ...commands.map(({ name, does }) => `${at} -a ${name} -d ${quoted(does)}`),
    ...options.map(
      ({ names, does, takes }) =>
        `${at} ${names.map(flagOf).join(' ')}${takes === null ? '' : ` ${action(takes)}`} -d ${quoted(does)}`,
    ),
    // Which of several arguments is typed makes no difference here.
    ...takes.filter((each) => each !== 'text').map((each) => `${at} ${action(each).replace(/^-[rx] /, '')}`),
  ];
}

function flagOf(name: string): string {
  return name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`;
}

function action(takes: Value): string {
  if (takes === 'text') return '-x';
  if (takes === 'file') return '-r -F';
  if (takes === 'folder') return `-x -a ${quoted('(__fish_complete_directories)')}`;
  const values = takes.values.join(' ');
  return `-x -a ${quoted(takes.many ? `(__fish_append , ${values})` : values)}`;
}

function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}
