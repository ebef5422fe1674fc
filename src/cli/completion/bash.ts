import type { TypedPosition, Value } from './positions.ts';

/** The script for bash, 3.2 and later: one function that finds the position, and says what may be typed there. */
export function bashScript(positions: readonly TypedPosition[]): string {
  const options = positions.flatMap(({ path, options }) =>
    options.flatMap(({ names, takes }) => names.map((name) => ({ at: `${path} ${name}`.trim(), takes }))),
  );
  const valued = options.filter((each): each is { at: string; takes: Value } => each.takes !== null);
  const said = positions.map(({ path, options }) => ({
    at: path,
    takes: { values: options.flatMap(({ names }) => names), many: false },
  }));
  const follows = positions.map(({ path, commands, takes }) => ({
    at: path,
    takes: commands.length > 0 ? { values: commands.map(({ name }) => name), many: false } : takes,
  }));
  return `# The words that may be typed after carillon, for bash. Made by \`carillon completion bash\`.
_carillon() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD - 1]}
  local path= nth=0 values= many= files= lead= word= i
  # In --state=done, the sign is a word of its own.
  if [[ $cur == '=' ]]; then
    cur=
  elif [[ $prev == '=' ]]; then
    prev=\${COMP_WORDS[COMP_CWORD - 2]}
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    case "\${path:+$path }$word" in
      ${labels(positions.map(({ path }) => path).filter((path) => path !== ''))})
        path="\${path:+$path }$word"
        nth=0
        ;;
      *)
        if [[ $word != -* && $word != '=' && \${COMP_WORDS[i - 1]} != '=' ]]; then
          case "\${path:+$path }\${COMP_WORDS[i - 1]}" in
            ${labels(valued.map(({ at }) => at))}) ;;
            *) nth=$((nth + 1)) ;;
          esac
        fi
        ;;
    esac
  done
  case "\${path:+$path }$prev" in
${cases(valued)}    *)
      if [[ $cur == -* ]]; then
        case "$path" in
${cases(said, '    ')}        esac
      else
        case "$path" in
${follows.map(({ at, takes }) => followCase(at, takes)).join('')}        esac
      fi
      ;;
  esac
  COMPREPLY=()
  if [[ $files ]]; then
    compopt -o filenames 2>/dev/null
    while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen "$files" -- "$cur")
    return
  fi
  compopt +o default 2>/dev/null
  if [[ $many && $cur == *,* ]]; then
    lead=\${cur%,*},
    cur=\${cur##*,}
  fi
  while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -P "$lead" -W "$values" -- "$cur")
}
complete -o default -F _carillon carillon
`;
}

type Case = { at: string; takes: Value };

/** Places with the same answer share one line. */
function cases(all: readonly Case[], indent = ''): string {
  const byAnswer = new Map<string, string[]>();
  for (const { at, takes } of all) byAnswer.set(answer(takes), [...(byAnswer.get(answer(takes)) ?? []), at]);
  return [...byAnswer].map(([set, at]) => `${indent}    ${labels(at)}) ${set} ;;\n`).join('');
}

function followCase(at: string, takes: Value | readonly Value[]): string {
  if (!Array.isArray(takes)) return `          ${labels([at])}) ${answer(takes as Value)} ;;\n`;
  if (takes.length === 0) return '';
  const nth = takes.map((each, index) => `${index}) ${answer(each)} ;;`);
  return `          ${labels([at])}) case $nth in ${nth.join(' ')} esac ;;\n`;
}

function answer(takes: Value): string {
  if (takes === 'text') return ':';
  if (takes === 'file') return 'files=-f';
  if (takes === 'folder') return 'files=-d';
  return `values='${takes.values.join(' ')}'${takes.many ? ' many=1' : ''}`;
}

function labels(at: readonly string[]): string {
  return at.map((each) => `'${each}'`).join(' | ');
}
