/** The changes of an act, field by field, as short text; fields that stayed the same are left out. */
export type Change = { field: string; was: string | null; is: string };

type Facts = Record<string, unknown> | null;

export function changes(before: Facts, after: Facts): Change[] {
  const names = [...new Set([...Object.keys(after ?? {}), ...Object.keys(before ?? {})])];
  return names.flatMap((field): Change[] => {
    const was = textOf(before?.[field]);
    const is = textOf(after?.[field]);
    if (was === is) return [];
    // A field that is gone says only what it was.
    return is === null
      ? [{ field, was: after === null ? null : was, is: after === null ? was! : 'none' }]
      : [{ field, was, is }];
  });
}

function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (Array.isArray(value))
    return value.length === 0 ? null : value.map((each) => textOf(each) ?? '–').join(', ');
  if (typeof value !== 'object') return String(value);
  const parts = Object.entries(value).flatMap(([name, each]) => {
    const text = textOf(each);
    return text === null ? [] : [`${name} ${text}`];
  });
  return parts.length === 0 ? null : `(${parts.join('; ')})`;
}
