/** The list of a round: a different number for everybody. */
const first = 2_125_550_000;

/** Consecutive valid North American numbers; seven digits change. */
export function phoneOf(index: number): string {
  return `+1${first + index}`;
}

export function listOf(people: number): string {
  const rows = Array.from({ length: people }, (_, i) => `${phoneOf(i)},Person ${i},UTC`);
  return `phone,name,timezone\n${rows.join('\n')}\n`;
}
