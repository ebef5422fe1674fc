/** A time for the browser's own field, which has no zone: the viewer's. Empty for what is not a time. */
export function localTimeOf(at: string | number | undefined): string {
  const date = new Date(at ?? '');
  if (Number.isNaN(date.getTime())) return '';
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
