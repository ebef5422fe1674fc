/** Dates on which nobody is called: single ones, and the holidays of a country. */

/** Null, or why the entry is not a date such as `2026-12-24` or holidays such as `holidays:US`. */
export function wrongDate(entry: string): string | null {
  const country = /^holidays:(.*)$/.exec(entry)?.[1];
  if (country !== undefined) {
    return country === 'US' ? null : `"${entry}" names a country whose holidays are not known`;
  }
  return isDate(entry)
    ? null
    : `"${entry}" is not a date such as 2026-12-24, or holidays such as holidays:US`;
}

function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}
