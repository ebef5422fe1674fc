import { toMinute } from './clock.ts';

export const classes = (...names: (string | false | null | undefined)[]): string =>
  names.filter(Boolean).join(' ');

const whole = new Intl.NumberFormat();
const roundly = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 3 });
const money = new Intl.NumberFormat(undefined, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const oneDigit = { style: 'percent', maximumFractionDigits: 1 } as const;
const share = new Intl.NumberFormat(undefined, oneDigit);
const exactShare = new Intl.NumberFormat(undefined, { ...oneDigit, minimumFractionDigits: 1 });

const moment = new Intl.DateTimeFormat(undefined, {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  ...toMinute,
});

export const count = (n: number) => whole.format(n);
/** For figures that are not known more precisely, such as a learned rate. */
export const about = (n: number) => roundly.format(n);
/** What is not known counts as nothing. */
export const sumOf = (values: readonly (number | null)[]) =>
  values.reduce<number>((sum, n) => sum + (n ?? 0), 0);

/** Costs as far as they are known, with their currency where the service tells it. */
export function cost(n: number | null, currency?: string | null): string {
  if (n === null) return '–';
  return currency ? `${money.format(n)} ${currency}` : money.format(n);
}
/** A share that is small is not shown as 0%. */
export const percent = (part: number) => (part > 0 && part < 0.0005 ? '<0.1%' : share.format(part));
/** For shares that stand one below the other: each with its one decimal. */
export const tenths = (part: number) => exactShare.format(part);

/** `{"opt_out": false, "day": "Friday"}` as `opt out: no, day: Friday`; what is empty is left out. */
export function learnedText(data: unknown): string {
  if (data === null || data === undefined) return '';
  if (typeof data === 'boolean') return data ? 'yes' : 'no';
  if (typeof data === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d.*(?:Z|[+-]\d\d:?\d\d)$/.test(data))
    return moment.format(new Date(data));
  if (typeof data !== 'object')
    return String(data).replace(/^[a-z]+(_[a-z]+)+$/, (word) => word.replaceAll('_', ' '));
  const parts = Object.entries(data).flatMap(([name, value]) => {
    const text = learnedText(value);
    return text === '' ? [] : [Array.isArray(data) ? text : `${name.replaceAll('_', ' ')}: ${text}`];
  });
  return parts.map((part, nth) => (nth < parts.length - 1 ? part.replace(/\.$/, '') : part)).join(', ');
}

/** Whether what was learned says, by the usual name, that the person wants no more calls. */
export const isOptOut = (data: unknown) =>
  /^(true|yes)$/i.test(String((data as { opt_out?: unknown } | null | undefined)?.opt_out));

const units: Record<string, string> = { ms: 'ms', s: 's', m: 'min', h: 'h', d: 'days' };

/** `2h` as `2 h`, `1d` as `1 day`; a text that is no span stays as it is. */
export function spanText(written: string): string {
  return written
    .replace(/(\d+(?:\.\d+)?)(ms|[smhd])/g, (_, n, unit) =>
      unit === 'd' && n === '1' ? '1 day ' : `${n} ${units[unit]} `,
    )
    .trim();
}

/** `10m/2h` as `10 min, then 2 h`. */
export const waitsText = (written: string) => written.split('/').map(spanText).join(', then ');

export const counted = (n: number, one: string, many = `${one}s`): string =>
  `${count(n)} ${n === 1 ? one : many}`;

/** With its first letter and its end. */
export const sentenceOf = (words: string) =>
  `${words.charAt(0).toUpperCase()}${words.slice(1)}${/[.!?]$/.test(words) ? '' : '.'}`;
