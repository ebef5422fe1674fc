/** An event's id: when it was numbered, and its number. Ids sort as the events do, and no two ledgers give the same. */
type EventPlace = { number: number; numberedAt: Date };

const digits = 12;
const form = /^evt_([0-9a-f]{12})([0-9a-f]{12})$/;

export function eventId({ number, numberedAt }: EventPlace): string {
  return `evt_${hex(numberedAt.getTime())}${hex(number)}`;
}

/** Null when the text is not an id. */
export function readEventId(id: string): EventPlace | null {
  const found = form.exec(id);
  if (!found) return null;
  return { number: Number.parseInt(found[2]!, 16), numberedAt: new Date(Number.parseInt(found[1]!, 16)) };
}

function hex(value: number): string {
  return value.toString(16).padStart(digits, '0');
}
