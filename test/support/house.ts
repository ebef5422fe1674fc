/** Reads the imports of source files and checks them against the floors of the house. Pure, so that it can be tested. */
export type Import = { from: string; line: number };

/** Which folder is on which floor, and which arrows are allowed besides those to a lower floor. */
export type House = {
  floors: Readonly<Record<string, number>>;
  /** Arrows between two parts of one floor, as `from -> to`. */
  beside: readonly string[];
  /** Forbidden arrows that lead down, as `from -> to`. `only` lists the only parts that a part may import. */
  never: readonly string[];
  only: Readonly<Record<string, readonly string[]>>;
};

export type Files = ReadonlyMap<string, string>;

const fromClause = /^(?:import|export)\s+(?:type\s+)?([\w$*{][^'"`;]*?)\s*\bfrom\s*(['"])([^'"\n]+)\2/gm;
const sideEffect = /^import\s*(['"])([^'"\n]+)\1/gm;
const dynamic = /(?<![\w$.]|async )import\(\s*(['"])([^'"\n]+)\1/g;
const computed = /(?<![\w$.]|async )import\(\s*(?!['"])/g;

/** Every import, type imports and `import('...')` included. The formatter puts statements at a line's start. */
export function findImports(path: string, source: string): Import[] {
  const text = blankComments(source);
  const found: Import[] = [];
  const lineOf = (at: number) => text.slice(0, at).split('\n').length;
  for (const match of text.matchAll(fromClause)) {
    // `export const x = 1; ... from '...'` is not an import: only names, braces and stars may precede `from`.
    if (!/^[\w$*{},\s]+$/.test(match[1]!) || /^(?:const|let|function|class|async)\b/.test(match[1]!))
      continue;
    found.push({ from: match[3]!, line: lineOf(match.index) });
  }
  for (const pattern of [sideEffect, dynamic]) {
    for (const match of text.matchAll(pattern)) found.push({ from: match[2]!, line: lineOf(match.index) });
  }
  const seen = new Set(found.map((each) => each.line));
  for (const match of text.matchAll(/^import\b(?!\s*[.(])/gm)) {
    if (!seen.has(lineOf(match.index)))
      throw new Error(`${path}:${lineOf(match.index)} has an import that cannot be read`);
  }
  for (const match of text.matchAll(computed)) {
    throw new Error(`${path}:${lineOf(match.index)} imports a path known only at run time`);
  }
  return found.sort((a, b) => a.line - b.line);
}

/** The arrows between source files; imports of packages and node's modules do not count. */
export function drawArrows(files: Files): Map<string, string[]> {
  const arrows = new Map<string, string[]>();
  for (const [path, source] of files) {
    const targets = findImports(path, source)
      .filter((each) => each.from.startsWith('.'))
      .map((each) => {
        const target = resolvePath(path, each.from);
        if (!files.has(target))
          throw new Error(`${path}:${each.line} imports ${each.from}, which is not a source file`);
        return target;
      });
    arrows.set(path, [...new Set(targets)]);
  }
  return arrows;
}

/** One sentence per arrow that leads up, sideways or where it must not. */
export function findUpward(arrows: ReadonlyMap<string, readonly string[]>, house: House): string[] {
  const faults: string[] = [];
  for (const [path, targets] of arrows) {
    const part = partOf(path, house);
    if (part === null) {
      faults.push(`${path} is not on any floor`);
      continue;
    }
    for (const target of targets) {
      const other = partOf(target, house);
      if (other === null || other === part) continue;
      const arrow = `${part} -> ${other}`;
      const only = house.only[part];
      const falls = house.floors[part]! - house.floors[other]!;
      if (only && !only.includes(other))
        faults.push(`${path} imports ${target}: ${part} may import only ${only.join(', ')}`);
      else if (house.never.includes(arrow) || house.never.includes(`* -> ${other}`))
        faults.push(`${path} imports ${target}: ${arrow} is forbidden`);
      else if (falls < 0) faults.push(`${path} imports ${target}: ${arrow} leads up`);
      else if (falls === 0 && !house.beside.includes(arrow))
        faults.push(`${path} imports ${target}: ${arrow} leads sideways`);
    }
  }
  return faults;
}

/** Every circle, as the path around it. */
export function findCircles(arrows: ReadonlyMap<string, readonly string[]>): string[] {
  const circles: string[] = [];
  const state = new Map<string, 'open' | 'left'>();
  const trail: string[] = [];
  const visit = (path: string) => {
    state.set(path, 'open');
    trail.push(path);
    for (const next of arrows.get(path) ?? []) {
      if (state.get(next) === 'open') circles.push([...trail.slice(trail.indexOf(next)), next].join(' -> '));
      else if (!state.has(next)) visit(next);
    }
    trail.pop();
    state.set(path, 'left');
  };
  for (const path of arrows.keys()) if (!state.has(path)) visit(path);
  return circles;
}

/** Pairs of one room's folders and files that import each other, with a file of each arrow. */
export function findMutual(arrows: ReadonlyMap<string, readonly string[]>, room: string): string[] {
  const within = (path: string) =>
    path.startsWith(`${room}/`) ? /^[^/]+\/?/.exec(path.slice(room.length + 1))![0] : null;
  const seen = new Map<string, string>();
  for (const [path, targets] of arrows) {
    for (const target of targets) {
      const [from, to] = [within(path), within(target)];
      if (from && to && from !== to) seen.set(`${from} -> ${to}`, `${path} -> ${target}`);
    }
  }
  return [...seen].flatMap(([arrow, example]) => {
    const [from, to] = arrow.split(' -> ') as [string, string];
    const back = seen.get(`${to} -> ${from}`);
    return back && from < to ? [`${example}, and ${back}`] : [];
  });
}

/** The longest part that contains a path: `src/ledger/functions` before `src/ledger`. */
export function partOf(path: string, house: House): string | null {
  let best: string | null = null;
  for (const part of Object.keys(house.floors)) {
    const names = part.endsWith('.ts') ? path === part : path.startsWith(`${part}/`);
    if (names && part.length > (best?.length ?? 0)) best = part;
  }
  return best;
}

/** Comments become blanks, so that positions stay; strings are unchanged. */
export function blankComments(source: string): string {
  const token = /\/\*[\s\S]*?\*\/|(?<!:)\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/g;
  return source.replace(token, (text) =>
    text.startsWith('/*') || text.startsWith('//') ? text.replace(/[^\n]/g, ' ') : text,
  );
}

function resolvePath(path: string, specifier: string): string {
  const parts = path.split('/').slice(0, -1);
  for (const part of specifier.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.') parts.push(part);
  }
  return parts.join('/');
}
