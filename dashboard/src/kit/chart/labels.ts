/** The words on a chart's axis and in its legend: times as the viewer writes them. */
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
const exactClock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });
const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
const both = new Intl.DateTimeFormat(undefined, {
  day: 'numeric',
  month: 'short',
  hour: 'numeric',
  minute: '2-digit',
});

/** Of the places on the axis of time, `step` seconds apart: a new day is named by its date. */
export function timeLabels(splits: readonly number[], step: number): string[] {
  return splits.map((at) => {
    const time = new Date(at * 1_000);
    const isMidnight = time.getHours() === 0 && time.getMinutes() === 0 && time.getSeconds() === 0;
    if (step >= 86_400 || isMidnight) return day.format(time);
    return (step < 60 ? exactClock : clock).format(time);
  });
}

export function legendTime(at: number | undefined): string {
  return at === undefined ? '' : both.format(at * 1_000);
}

/** The value in the legend: the one under the pointer, or the last one that is known. */
export function valueAt(
  values: readonly (number | null)[] | undefined,
  at: number | null,
): number | null | undefined {
  return at === null ? values?.findLast((value) => value !== null) : values?.[at];
}
