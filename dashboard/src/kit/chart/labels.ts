/** The words on a chart's axis and in its legend: times as the viewer writes them. */
const clock = new Intl.DateTimeFormat(undefined, { hour: 'numeric', minute: '2-digit' });
const exact = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });
const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
const both = new Intl.DateTimeFormat(undefined, {
  day: 'numeric',
  month: 'short',
  hour: 'numeric',
  minute: '2-digit',
});

/** A place on the axis of time, `step` seconds from the next: a new day is named by its date. */
export function tickLabel(at: number, step: number): string {
  const time = new Date(at * 1_000);
  const isMidnight = time.getHours() === 0 && time.getMinutes() === 0;
  return (step >= 86_400 || isMidnight ? day : clock).format(time);
}

/** The time of a bar: `2:00 – 2:05 PM`, or its minute; of another day with its date, within a minute with its seconds. */
export function spanLabel(from: number, to: number): string {
  const begin = new Date(from * 1_000);
  const isToday = begin.toDateString() === new Date().toDateString();
  const ends = to - from < 60 ? exact : clock;
  const form = isToday ? ends : both;
  return to - from === 60 ? `Minute of ${form.format(begin)}` : form.formatRange(begin, to * 1_000);
}
