import { Fragment, type ReactNode, useSyncExternalStore } from 'react';
import { silence } from './store.ts';
import { agoText, clock, exact, isToday, learnedText, timeText, toSecond } from './words.ts';

/** Values as they are shown: a phone, a time, facts with their names. */

/** The part that was typed, in blue: of a phone also where it is shown in groups. */
export function Matched({ text, typed = '' }: { text: string; typed?: string | undefined }) {
  const letters = typed.replace(/[\s()+./-]/g, '');
  const wanted = /^\d+$/.test(letters) ? [...letters].join(' ?') : typed.trim().replace(/\W/g, '\\$&');
  const found = wanted === '' ? null : new RegExp(wanted, 'i').exec(text);
  if (!found) return text;
  const end = found.index + found[0].length;
  return (
    <>
      {text.slice(0, found.index)}
      <mark className="bg-transparent text-accent">{text.slice(found.index, end)}</mark>
      {text.slice(end)}
    </>
  );
}

export const serviceChose = 'chosen by the service';

export const Caller = ({ phone }: { phone: string | null }) =>
  phone ? <Phone phone={phone} /> : serviceChose;

/** The country codes of one and of two digits; all others have three. */
const parts = /^(\+(?:[17]|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{3}))(\d{4,})$/;

/** `+14155550103` as its country and groups of three or four. */
function groupsOf(phone: string): string[] {
  const [, country, rest] = parts.exec(phone) ?? [];
  return country ? [country, ...rest!.match(/^\d{4}(?=\d{4}$)|\d{3}(?=\d\d)|\d+/g)!] : [phone];
}

/** `+44` of a phone; undefined where none is seen. */
export const codeOf = (of: { phone: string | null } | undefined) =>
  of?.phone ? groupsOf(of.phone)[0] : undefined;

export const phoneText = (phone: string) => groupsOf(phone).join(' ');

/** A phone number; null for who may not see people, empty of a person who was erased. */
export function Phone({ phone }: { phone: string | null | undefined }) {
  if (phone === '') return <span className="text-quiet">erased</span>;
  if (!phone) return <span className="text-quiet">hidden</span>;
  return (
    <span className="whitespace-nowrap">
      {/* Set apart without spaces: what is copied is the number as it is dialled. */}
      {groupsOf(phone).map((digits, nth) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the groups do not move.
        <span key={nth} className={nth > 0 ? 'ml-[0.3em]' : undefined}>
          {digits}
        </span>
      ))}
    </span>
  );
}

type TimeProps = {
  at: string | number | Date;
  /** In evidence, where it matters which of two came first. */
  seconds?: boolean;
  /** Where the day is told already. */
  clock?: boolean;
};

export function Time({ at, seconds, clock: noDay }: TimeProps) {
  const date = new Date(at);
  const format = seconds && (noDay || isToday(date)) ? toSecond.format : noDay ? clock.format : timeText;
  return timeOf(date, format(date));
}

const timeOf = (date: Date, words: string) => (
  <time dateTime={date.toISOString()} title={exact.format(date)} className="whitespace-nowrap">
    {words}
  </time>
);

export function Ago({ at }: { at: string | number | Date }) {
  const now = useNow();
  const date = new Date(at);
  return timeOf(date, agoText(date.getTime() - now));
}

export const Since = ({ at }: { at: string }) => (
  <>
    since <Time at={at} />
  </>
);

/** The present, the same for all that show it, while they do and the tab is seen. */
function createPresent(everyMs: number) {
  let now = Date.now();
  let timer: ReturnType<typeof setInterval> | undefined;
  const listeners = new Set<() => void>();
  const listen = (tell: () => void) => {
    listeners.add(tell);
    now = Date.now();
    timer ??= setInterval(() => {
      if (document.visibilityState !== 'visible') return;
      now = Date.now();
      for (const each of listeners) each();
    }, everyMs);
    return () => {
      listeners.delete(tell);
      if (listeners.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    };
  };
  return () => useSyncExternalStore(listen, () => now);
}

export const useTick = createPresent(1_000);
const useSlowTick = createPresent(5_000);
/** The time of what is shown: it stands still while nothing answers. */
export function useNow(): number {
  const now = useSlowTick();
  return silence.use() ?? now;
}
/** For what is counted while one looks. */
export function useSecond(): number {
  const now = useTick();
  return silence.use() ?? now;
}

/** Facts of a thing: the name of each beside its words; one without words is left out. */
type FactsProps = {
  of: readonly (readonly [name: string, words: ReactNode])[];
  look?: keyof typeof factLooks;
};

const factLooks = {
  plain: 'grid gap-y-1.5 grid-cols-[6rem_minmax(0,1fr)] gap-x-3 text-sm',
  brief: 'grid grid-cols-[3rem_minmax(0,1fr)] gap-x-4 gap-y-3',
  // On a phone a name stands above its words, and nearer to them than to those before it.
  wide: 'grid gap-y-1.5 gap-x-6 max-sm:gap-y-0 max-sm:[&>dt]:pt-2 sm:grid-cols-[12rem_minmax(0,1fr)]',
};

export const Facts = ({ of, look = 'plain' }: FactsProps) => (
  <dl className={factLooks[look]}>
    {of.map(
      ([name, words], nth) =>
        words && (
          // biome-ignore lint/suspicious/noArrayIndexKey: facts stand fast, and two may have one name.
          <Fragment key={nth}>
            <dt className="text-quiet">{name}</dt>
            <dd className="min-w-0 [overflow-wrap:anywhere]">{words}</dd>
          </Fragment>
        ),
    )}
  </dl>
);

/** Names and values in words: `opt_out: false` as `opt out`, `no`; what is empty is left out. Those of evidence by a `text` of their own. */
export const Fields = ({ of, text = learnedText }: { of: object; text?: (value: unknown) => string }) => (
  <Facts of={Object.entries(of).map(([name, value]) => [name.replaceAll('_', ' '), text(value)])} />
);

export const Stat = ({ name, children, note }: { name: string; children: ReactNode; note: ReactNode }) => (
  <div className="min-w-0">
    <dt className="text-xs text-quiet">{name}</dt>
    <dd className="truncate font-medium">{children}</dd>
    {note && <dd className="text-xs text-quiet">{note}</dd>}
  </div>
);
