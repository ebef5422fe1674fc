/** The list of a round: a number of its own for everybody. */
const first = 2_125_550_000;

/** North American numbers that are valid, one after the other; seven digits change. */
export function phoneOf(index: number): string {
  return `+1${first + index}`;
}

export function listOf(people: number): string {
  const rows = Array.from({ length: people }, (_, i) => `${phoneOf(i)},Person ${i},UTC`);
  return `phone,name,timezone\n${rows.join('\n')}\n`;
}
