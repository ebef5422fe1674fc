import type { Job, NextPerson } from '../../api/description.ts';
import { Badge, type BadgeProps } from '../../kit/badge.tsx';
import { type Column, right } from '../../kit/table/data-table.tsx';
import { TheirTime } from '../../kit/their-time.tsx';
import { Ago } from '../../kit/time.tsx';
import { type WaitReason, waitWords } from '../../kit/waits.ts';
import { phone, who } from '../../shell/person-columns.tsx';
import { Until } from '../campaign/overview/waits.tsx';

/** A person in a queue or before it: how far they are, what they wait for, and until when. */
export type Row = Pick<Job, 'campaign' | 'phone' | 'name' | 'until'> & {
  id: string;
  key: string | null;
  now: BadgeProps;
  waits: string;
  /** Why they wait, where it is not by their own turn. */
  reason: WaitReason | null;
  /** How the last call ended. */
  last: string | null;
  since: string | null;
  zones: readonly string[];
};

export const columns: readonly Column<Row>[] = [
  who,
  phone,
  {
    id: 'there',
    head: 'Their time',
    from: 'lg',
    has: ({ zones }) => zones.length > 0,
    cell: ({ zones }) => <TheirTime zones={zones} />,
  },
  { id: 'campaign', head: 'Campaign', from: 'sm', cell: ({ campaign }) => campaign },
  { id: 'now', head: 'Now', cell: ({ now }) => <Badge {...now} /> },
  { id: 'waits', head: 'What for', from: 'sm', cell: ({ waits }) => waits },
  {
    id: 'when',
    head: 'When',
    from: 'sm',
    cell: ({ until, reason }) =>
      reason ? <Until of={reason} at={until} /> : until ? <Ago at={until} /> : 'now',
  },
  {
    id: 'key',
    head: 'Key',
    from: 'lg',
    has: ({ key }) => key !== null,
    cell: ({ key }) => key,
  },
  {
    id: 'last',
    head: 'Last call',
    from: 'lg',
    has: ({ last }) => last !== null,
    cell: ({ last }) => last && <Badge state={last} />,
  },
  right('since', 'Turn came', ({ since }) => since && <Ago at={since} />, {
    from: 'lg',
    has: ({ since }) => since !== null,
  }),
];

/** One who has no turn yet. */
export const rowOfPerson = ({
  callback_at: asked,
  outcome,
  reason,
  timezones: zones,
  ...of
}: NextPerson): Row => ({
  ...of,
  key: null,
  now: { state: 'waiting', label: 'waits' },
  waits: reason ? waitWords[reason] : 'for the next free line',
  reason,
  zones,
  last: asked === null ? outcome : null,
  since: null,
});

const ofJobs: Readonly<Record<string, string>> = {
  failing: 'the service fails on the key',
  out_of_credit: 'the key has no credit',
  denied: 'the key is not accepted',
};

/** Of a call that was placed, only its next check is work; before it, its turn at the key comes by itself. */
export function rowOfJob(job: Job): Row {
  const { kind, recipient: id, planned_at: since, dialed_at: dialled, reason } = job;
  const isHeld = reason !== null && reason !== 'token' && reason !== 'poll';
  const looks = { ...job, id, since, last: null, reason: null, zones: [] };
  if (kind === 'track')
    return {
      ...looks,
      now: { state: 'placed', label: 'on the line' },
      waits: isHeld ? ofJobs[reason]! : 'for its end, which the service is asked for',
    };
  if (dialled) return { ...looks, now: { state: 'dialing' }, waits: 'for the answer of the service' };
  return {
    ...looks,
    now: { state: 'queued', label: 'about to be dialled' },
    waits: isHeld
      ? (ofJobs[reason] ?? waitWords[reason as WaitReason])
      : 'for its turn, at the pace of the key',
    reason: isHeld && !ofJobs[reason] ? (reason as WaitReason) : null,
  };
}
