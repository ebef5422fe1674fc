/** Numbers that were pasted, as a list with a header. */
export const looksLikePhone = (text: string) =>
  /^[+\d\s().\-/]+$/.test(text) && text.replace(/\D/g, '').length >= 7;

/** The first line is a header only where no phone stands in it. */
export function pastedList(text: string): string {
  let lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  const mark = ['\t', ';', ','].find((each) => lines[0]?.includes(each)) ?? ',';
  const first = (lines[0] ?? '').split(mark);
  if (!first.some(looksLikePhone)) return lines.join('\n');
  // Numbers in one line are people, not the numbers of one person.
  const isRow = lines.length === 1 && first.every(looksLikePhone);
  if (isRow) lines = first;
  const header = (isRow ? [''] : first).map((cell, nth) =>
    isRow || looksLikePhone(cell) ? 'phone' : nth < 2 ? 'name' : '',
  );
  return [header.join(mark), ...lines].join('\n');
}
