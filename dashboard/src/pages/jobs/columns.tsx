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
      ms ? `in about ${durationText(roundly(ms))}` : until && <Ago at={until} />,
  },
];

const stepMs = 5_000;
const roundly = (ms: number) => Math.max(1, Math.round(ms / stepMs)) * stepMs;

/** One who has no turn yet. */
export function rowOfPerson({ reason: why, attempts, ...of }: NextPerson): Row {
  const reason = mergedOf(why ?? 'calls');
  return { ...of, waits: waitWords[reason], reason, number: attempts + 1 };
}

const isTurn = (why: Job['reason']) => why === null || why === 'token' || why === 'poll';

/** Of a call that was placed, only its next check is work; before it, its turn at the key comes by itself. */
export function rowOfJob(job: Job): Row {
  const { kind, recipient: id, dialed_at: dialled, reason: why } = job;
  if (kind === 'track') return { ...job, id, reason: null, until: null, waits: 'on the line' };
  if (dialled) return { ...job, id, reason: null, until: null, waits: 'being dialled' };
  if (isTurn(why)) return { ...job, id, reason: null, waits: 'about to be dialled' };
  const reason = why! in waitWords ? mergedOf(why as WaitReason) : null;
  return { ...job, id, reason, waits: reason ? waitWords[reason] : `the key: ${stateText(why!)}` };
}

/** The rows by what they wait for, those whom the pace alone holds back first and by their time; without a pace no places. */
export function grouped(rows: readonly Row[], waits: readonly Wait[], pace: Pace | null): Row[] {
  const groups: Record<string, Row[]> = {};
  const before: Record<string, number> = {};
  for (const row of rows) {
    const isByPace = row.reason === 'calls';
    const place = (before[row.campaign] ?? 0) + Number(isByPace);
    before[row.campaign] = place;
    const perMinute = (isByPace && pace?.(row.campaign)) || 0;
    const aboutMs = perMinute > 0 ? (place / perMinute) * 60_000 : 0;
    groups[row.waits] = [...(groups[row.waits] ?? []), { ...row, aboutMs }];
  }
  const isSoon = ([first]: Row[]) => first!.reason === 'calls' || (!first!.reason && !first!.until);
  return Object.values(groups)
    .sort((a, b) => Number(isSoon(b)) - Number(isSoon(a)))
    .flatMap((group) =>
      group
        .sort((a, b) => a.aboutMs! - b.aboutMs!)
        .map((row, nth) => ({
          ...row,
          place: pace ? nth + 1 : 0,
          head: nth === 0 && <Head of={row} wait={waits.find(({ name }) => name === row.waits)} />,
        })),
    );
}

function Head({ of: { waits: words, reason, until }, wait }: { of: Row; wait: Wait | undefined }) {
  return (
    <>
      {words}
      <span className="font-normal text-quiet">
        {reason && (
          <>
            , <Until of={reason} at={wait ? wait.until : until} />
          </>
        )}
        {wait && ` · ${count(wait.n)}`}
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
