import type { ReactNode } from 'react';
import type { Job, Key, LiveCalls, NextPerson } from '../../api/description.ts';
import { stateText } from '../../kit/badge.tsx';
import type { Column } from '../../kit/table/data-table.tsx';
import { Ago, durationText } from '../../kit/time.tsx';
import { type WaitReason, waitWords } from '../../kit/waits.ts';
import { count } from '../../kit/words.ts';
import { phone, who } from '../../shell/person-columns.tsx';
import { Until } from '../campaign/overview/waits.tsx';
import { mergedOf, type Wait } from './way.tsx';

/** A person in a queue or before it, below the words of what they and others wait for. */
export type Row = Pick<Job, 'campaign' | 'phone' | 'name' | 'number' | 'until'> & {
  id: string;
  waits: string;
  reason: WaitReason | null;
  head?: ReactNode;
  place?: number;
  /** How long until the call, where it hangs on the pace alone. */
  aboutMs?: number;
};

export const columnsOf = (triesOf: (campaign: string) => number | undefined): readonly Column<Row>[] => [
  {
    id: 'place',
    head: 'Place',
    from: 'lg',
    has: ({ place }) => place! > 0,
    cell: ({ place }) => count(place!),
  },
  { ...who, main: true },
  phone,
  { id: 'campaign', head: 'Campaign', from: 'sm', cell: ({ campaign }) => campaign },
  {
    id: 'attempt',
    head: 'Attempt',
    from: 'sm',
    cell({ number, campaign }) {
      const most = triesOf(campaign) ?? 0;
      return number === 1
        ? 'first call'
        : `call ${count(number)}${most < number ? '' : ` of ${count(most)}`}`;
    },
  },
  {
    id: 'when',
    head: 'When',
    from: 'sm',
    has: ({ aboutMs: ms, until }) => Boolean(ms || until),
    cell: ({ aboutMs: ms, until }) =>
      ms
        ? `in about ${durationText(5_000 * Math.max(1, Math.round(ms / 5_000)))}`
        : until && <Ago at={until} />,
  },
];

export function rowOfPerson({ reason: why, attempts, ...of }: NextPerson): Row {
  const reason = mergedOf(why ?? 'calls');
  return { ...of, waits: waitWords[reason], reason, number: attempts + 1 };
}

const never = Number.POSITIVE_INFINITY;
const comesNow = 'about to be dialled';
const isTurn = (why: Job['reason']) => why === null || why === 'token' || why === 'poll';

/** Of a call that was placed, only its next check is work; before it, its turn at the key comes by itself. */
export function rowOfJob(job: Job): Row {
  const { kind, recipient: id, dialed_at: dialled, reason: why } = job;
  if (kind === 'track') return { ...job, id, reason: null, until: null, waits: 'on the line' };
  if (dialled) return { ...job, id, reason: null, until: null, waits: 'being dialled' };
  if (isTurn(why)) return { ...job, id, reason: null, waits: comesNow };
  const reason = why! in waitWords ? mergedOf(why as WaitReason) : null;
  return { ...job, id, reason, waits: reason ? waitWords[reason] : `the key: ${stateText(why!)}` };
}

/** The rows by what they wait for, first those by the pace. Whoever comes now heads these, so that the list does not move. */
export function grouped(rows: readonly Row[], waits: readonly Wait[], pace: Pace | null): Row[] {
  const groups: Record<string, Row[]> = { [waitWords.calls]: [] };
  const before: Record<string, number> = {};
  for (const row of rows) {
    const isNow = pace !== null && row.waits === comesNow;
    const place = (before[row.campaign] ?? 0) + Number(row.reason === 'calls');
    before[row.campaign] = place;
    const perMinute = (row.reason === 'calls' && pace?.(row.campaign)) || 0;
    const aboutMs = isNow ? 1 : perMinute > 0 ? (place / perMinute) * 60_000 : 0;
    const group = isNow ? waitWords.calls : row.waits;
    groups[group] = [...(groups[group] ?? []), { ...row, aboutMs }];
  }
  return Object.entries(groups).flatMap(([words, group]) =>
    group
      .sort((a, b) => (a.aboutMs || never) - (b.aboutMs || never))
      .map((row, nth) => ({
        ...row,
        place: pace ? nth + 1 : 0,
        head: nth === 0 && <Head words={words} wait={waits.find(({ name }) => name === words) ?? row} />,
      })),
  );
}

type HeadProps = { words: string; wait: Pick<Row, 'reason' | 'until'> & { n?: number } };

function Head({ words, wait: { reason, until, n } }: HeadProps) {
  return (
    <>
      {words}
      <span className="font-normal text-quiet">
        {reason && (
          <>
            , <Until of={reason} at={until} />
          </>
        )}
        {n && ` · ${count(n)}`}
      </span>
    </>
  );
}

/** Calls a minute of a campaign: its part of the calls on the line, of all that the keys began in the last minute. */
type Pace = (campaign: string) => number;

export function paceOf(keys: readonly Key[], { items }: LiveCalls): Pace {
  const begun = keys.reduce((sum, { last_minute: { requests } }) => sum + requests.create, 0);
  return (of) => (begun * items.filter(({ campaign }) => campaign === of).length) / Math.max(1, items.length);
}
