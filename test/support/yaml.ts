/**
 * Reads the part of YAML that our own files use: maps, lists, plain and quoted scalars, flow lists, anchors and `<<`.
 * Anything else is an error, never a guess.
 */
export type Yaml = string | number | boolean | null | Yaml[] | { [key: string]: Yaml };

type Line = { indent: number; text: string; number: number };

export function readYaml(source: string): Yaml {
  const lines: Line[] = [];
  for (const [index, raw] of source.split('\n').entries()) {
    const text = withoutComment(raw).trimEnd();
    if (text.trim() === '') continue;
    if (raw.includes('\t')) throw new Error(`line ${index + 1} contains a tab`);
    lines.push({ indent: text.search(/\S/), text: text.trim(), number: index + 1 });
  }
  const anchors = new Map<string, Yaml>();
  let at = 0;
  const value = readBlock(0);
  if (at < lines.length) throw new Error(`line ${lines[at]!.number} has the wrong indentation`);
  return value;

  function readBlock(indent: number): Yaml {
    return lines[at]!.text.startsWith('- ') || lines[at]!.text === '-' ? readList(indent) : readMap(indent);
  }

  function readList(indent: number): Yaml[] {
    const list: Yaml[] = [];
    while (lines[at]?.indent === indent && /^-(?: |$)/.test(lines[at]!.text)) {
      const line = lines[at]!;
      const rest = line.text.slice(1).trimStart();
      if (/^[\w.-]+:(?: |$)/.test(rest)) {
        // A map that begins after the dash is indented like its first key.
        const inner = line.indent + line.text.length - rest.length;
        lines[at] = { ...line, indent: inner, text: rest };
        list.push(readMap(inner));
      } else {
        at += 1;
        list.push(readScalar(rest, line.number));
      }
    }
    return list;
  }

  function readMap(indent: number): Yaml {
    const map: { [key: string]: Yaml } = {};
    const own = new Set<string>();
    while (lines[at]?.indent === indent && !lines[at]!.text.startsWith('- ')) {
      const line = lines[at]!;
      const found = /^("[^"]+"|[\w./<-]+):(?: +(.*))?$/.exec(line.text);
      if (!found) throw new Error(`line ${line.number} is not a key with a value: ${line.text}`);
      const key = found[1]!.replace(/^"|"$/g, '');
      const anchor = /^&(\w+) ?(.*)$/.exec(found[2] ?? '');
      const rest = anchor ? anchor[2]! : (found[2] ?? '');
      at += 1;
      const next = lines[at];
      const value =
        rest === '' &&
        next &&
        (next.indent > indent || (next.indent === indent && next.text.startsWith('- ')))
          ? readBlock(next.indent)
          : readScalar(rest, line.number);
      if (anchor) anchors.set(anchor[1]!, value);
      if (own.has(key)) throw new Error(`line ${line.number} repeats ${key}`);
      if (key === '<<') {
        for (const [name, inherited] of Object.entries(value as object))
          if (!own.has(name)) map[name] = inherited;
      } else {
        own.add(key);
        map[key] = value;
      }
    }
    return map;
  }

  function readScalar(text: string, number: number): Yaml {
    if (text === '' || text === '~' || text === 'null') return null;
    if (text.startsWith('*')) {
      const known = anchors.get(text.slice(1));
      if (known === undefined) throw new Error(`line ${number} names an unknown anchor: ${text}`);
      return structuredClone(known);
    }
    if (/^[[{"]/.test(text)) return JSON.parse(text) as Yaml;
    if (text.startsWith("'")) return text.slice(1, -1).replaceAll("''", "'");
    if (text === 'true' || text === 'false') return text === 'true';
    if (/^-?\d+(?:\.\d+)?$/.test(text)) return Number(text);
    if (/^[|>&!%@`]/.test(text) || / #|: /.test(text))
      throw new Error(`line ${number} is not supported: ${text}`);
    return text;
  }
}

function withoutComment(line: string): string {
  let quote = '';
  for (let at = 0; at < line.length; at++) {
    const letter = line[at]!;
    if (quote) quote = letter === quote ? '' : quote;
    else if (letter === '"' || letter === "'") quote = letter;
    else if (letter === '#' && (at === 0 || line[at - 1] === ' ')) return line.slice(0, at);
  }
  return line;
}
