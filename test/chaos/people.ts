/** The list of a round: a different number for everybody. */
const first = 2_125_550_000;

/** Consecutive valid North American numbers; seven digits change. */
export function phoneOf(index: number): string {
  return `+1${first + index}`;
}

/** With several numbers, those after the first follow everybody's first ones. */
export function listOf(people: number, numbers = 1): string {
  const each = Array.from({ length: numbers }, (_, n) => n);
  const rows = Array.from({ length: people }, (_, i) => {
    return `${each.map((n) => phoneOf(n * people + i)).join()},Person ${i},UTC`;
  });
  return `${each.map((n) => `phone${n + 1}`).join()},name,timezone\n${rows.join('\n')}\n`;
}

/** The first number of the person who has this one. */
export function personOf(phone: string, people: number): string {
  return phoneOf((Number(phone.slice(2)) - first) % people);
}
