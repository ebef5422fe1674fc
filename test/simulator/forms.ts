/** Facts about an answer as a table of names, and what of an answer does not fit it: a small checker of our own. */

const kinds: Record<string, (value: unknown) => boolean> = {
  text: (value) => typeof value === 'string',
  filled: (value) => typeof value === 'string' && value !== '',
  number: (value) => typeof value === 'number',
  int: (value) => Number.isInteger(value),
  bool: (value) => typeof value === 'boolean',
  null: (value) => value === null,
  list: (value) => Array.isArray(value),
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  uuid: (value) => typeof value === 'string' && /^[\da-f]{8}-([\da-f]{4}-){3}[\da-f]{12}$/.test(value),
  e164: (value) => typeof value === 'string' && /^\+[1-9]\d{6,14}$/.test(value),
  iso: (value) => typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/.test(value),
  url: (value) => typeof value === 'string' && URL.canParse(value),
  /** Milliseconds and seconds since the epoch, told apart by their size. */
  ms: (value) => Number.isInteger(value) && (value as number) > 1e12,
  secs: (value) => Number.isInteger(value) && (value as number) > 1e9 && (value as number) < 1e11,
};

/** A field's kinds, with `|` between them and `?` behind the last if it may be absent; or `=word` for one value. */
export type Form = Readonly<Record<string, string>>;

/** The misfits: fields that are missing, of another kind, or not published. */
export function misfits(answer: unknown, form: Form): string[] {
  if (!kinds.object!(answer)) return ['not an object'];
  const given = answer as Record<string, unknown>;
  const wrong = Object.entries(form).flatMap(([name, wanted]) => {
    const optional = wanted.endsWith('?');
    if (!(name in given)) return optional ? [] : [`${name} is missing`];
    const accepted = (optional ? wanted.slice(0, -1) : wanted).split('|');
    const fits = accepted.some((kind) =>
      kind.startsWith('=') ? given[name] === kind.slice(1) : kinds[kind]!(given[name]),
    );
    return fits ? [] : [`${name} is ${JSON.stringify(given[name])}, not ${wanted}`];
  });
  const odd = Object.keys(given).filter((name) => !(name in form));
  return [...wrong, ...odd.map((name) => `${name} is not published`)];
}
