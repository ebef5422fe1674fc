import type { CampaignItem, Key } from '../../api/description.ts';
import { useAsks } from '../../data/queries.ts';
import { PartsBar } from '../../kit/balance-bar.tsx';
import { Section } from '../../kit/card.tsx';
import { PartBar } from '../../kit/part-bar.tsx';
import type { WaitReason } from '../../kit/waits.ts';
import { count } from '../../kit/words.ts';
import { mostCalls, useCallsOf } from '../../shell/live-calls.ts';
import { PageLink } from '../../shell/page-link.tsx';
import type { WaitsOf } from '../campaign/overview/waits.tsx';

/** Everybody who is on the way to a call, as one bar: on the line, next, and who waits for a time or for something outside. */
export function Way({ keys, waits }: { keys: readonly Key[]; waits: WaitsOf }) {
  const callsOf = useCallsOf();
  const sum = (isMeant: (reason: string) => boolean) =>
    Object.entries(waits).reduce((n, [reason, each]) => n + (isMeant(reason) ? each.n : 0), 0);
  const isNext = (reason: string) => reason === 'calls';
  return (
    <PartsBar
      parts={[
        ['on the line', keys.reduce((n, key) => n + callsOf(key), 0), 'bg-live-fill'],
        ['about to be dialled', keys.reduce((n, key) => n + key.planned, 0), 'bg-ink'],
        ['wait for a free line', sum(isNext), 'bg-ink-2'],
        ['wait for their time', sum((reason) => !isNext(reason) && !isHeld(reason)), 'bg-ink-3'],
        ['are held up', sum(isHeld), 'hatched'],
      ]}
      legend
      thickness="fat"
    />
  );
}

/** Nothing but an act, or money, ends it. */
const isHeld = (reason: string) =>
  /^(?:paused|no-run|no-credit|budget|refused|draft|canceled|never)$/.test(reason);

/** A line and the pace of a key hold back by turns, many times a minute: they are one reason here. */
export const mergedOf = (reason: WaitReason) => (reason === 'rate' ? 'calls' : reason);

type Used = { name: string; to: string; n: number; most: number | null };

/** The calls of each key and of each campaign against the most that it may have: one that uses all is not ill. */
export function OnTheLine({ keys, campaigns }: { keys: readonly Key[]; campaigns: readonly CampaignItem[] }) {
  const callsOf = useCallsOf();
  const byKey = keys.map((key) => ({
    name: key.name,
    to: `/live?key=${encodeURIComponent(key.name)}`,
    n: callsOf(key),
    most: mostCalls(key),
  }));
  const byCampaign = campaigns
    .filter(({ state, balance: { calling, waiting } }) => calling > 0 || (state === 'running' && waiting > 0))
    .map(({ id, name, balance, max_calls: most }) => ({
      name,
      to: `/campaigns/${id}`,
      n: balance.calling,
      most,
    }));
  return (
    <>
      <UsedLines id="line" title="On the line" note="by key" of={byKey} />
      <UsedLines id="of-campaigns" title="By campaign" note="against its own limit" of={byCampaign} />
    </>
  );
}

type UsedLinesProps = { id: string; title: string; note: string; of: readonly Used[] };

const UsedLines = ({ id, title, note, of }: UsedLinesProps) => (
  <Section id={id} title={title} note={note}>
    {of.map(({ name, to, n, most }) => (
      <div
        key={name}
        className="grid min-h-8 grid-cols-[minmax(0,1fr)_6rem_4.5rem] items-center gap-x-3 text-sm"
      >
        <PageLink to={to} className="truncate font-medium hover:underline">
          {name}
        </PageLink>
        {most === null ? <span /> : <PartBar part={n / Math.max(1, most)} fill="bg-ink" />}
        <span className="number">
          {count(n)} {most !== null && `of ${count(most)}`}
        </span>
      </div>
    ))}
  </Section>
);

const everyMs = 15_000;
const mostCampaigns = 20;

/** Why people wait, over all campaigns that are not over; null of very many campaigns. */
export function useWaits(campaigns: readonly CampaignItem[]): WaitsOf | null {
  const waiting = campaigns.filter(({ balance }) => balance.waiting + balance.parked > 0);
  const isMany = waiting.length > mostCampaigns;
  const read = useAsks(
    'GET /api/campaigns/{id}',
    isMany ? [] : waiting.map(({ id }) => ({ params: { id } })),
    everyMs,
  );
  if (isMany || read.some(({ data }) => !data)) return null;
  const all: WaitsOf = {};
  for (const { data } of read) {
    for (const [id, { n, until }] of Object.entries(data!.waits)) {
      const reason = mergedOf(id as WaitReason);
      const known = all[reason];
      // They count people who are about to be dialled too, as waiting for the rate: these are a part of their own.
      const more = id === 'rate' ? n - data!.balance.queued : n;
      const first = [known?.until, until].filter((time) => time != null).sort()[0] ?? null;
      if (more > 0) all[reason] = { n: more + (known?.n ?? 0), until: first };
    }
  }
  return all;
}
