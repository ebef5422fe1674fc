import type { CampaignItem, Key } from '../../api/description.ts';
import { useAsks } from '../../data/queries.ts';
import { stateText } from '../../kit/badge.tsx';
import { PartsBar } from '../../kit/balance-bar.tsx';
import { Section } from '../../kit/card.tsx';
import { PartBar } from '../../kit/part-bar.tsx';
import type { WaitReason } from '../../kit/waits.ts';
import { classes, count } from '../../kit/words.ts';
import { mostCalls, useCallsOf } from '../../shell/live-calls.ts';
import { PageLink } from '../../shell/page-link.tsx';
import type { WaitsOf } from '../campaign/overview/waits.tsx';

/** Everybody who is on the way to a call, as one bar: on the line, next, and who waits for a time or for something outside. */
export function Way({ keys, waits }: { keys: readonly Key[]; waits: WaitsOf }) {
  const callsOf = useCallsOf();
  const waiting = (fill: string) =>
    Object.entries(waits).reduce((n, [reason, each]) => n + (fillOf(reason) === fill ? each.n : 0), 0);
  const parts = [
    ['on the line', keys.reduce((n, key) => n + callsOf(key), 0), 'bg-live-fill'],
    ['about to be dialled', keys.reduce((n, key) => n + key.planned, 0), 'bg-ink'],
    ['waiting for a free place', waiting('bg-ink-2'), 'bg-ink-2'],
    ['waiting for their time', waiting('bg-ink-3'), 'bg-ink-3'],
    ['held up', waiting('hatched'), 'hatched'],
  ] as const;
  return <PartsBar parts={parts} thickness="fat" legend />;
}

/** How a reason is drawn: its turn comes by itself, at a time, or only by an act or money. */
export const fillOf = (reason: string) =>
  held.test(reason) ? 'hatched' : reason === 'calls' ? 'bg-ink-2' : 'bg-ink-3';
const held = /^(?:paused|no-run|no-credit|budget|refused|draft|canceled|never)$/;

/** A line and the pace of a key hold back by turns, many times a minute: they are one reason here. */
export const mergedOf = (reason: WaitReason) => (reason === 'rate' ? 'calls' : reason);

export function useLines(keys: readonly Key[], campaigns: readonly CampaignItem[]): LineProps[] {
  const callsOf = useCallsOf();
  const limited = campaigns.filter(({ balance, max_calls: most }) => most !== null && balance.calling > 0);
  return [
    ...keys.map((key) => ({
      name: key.name,
      to: `/live?key=${encodeURIComponent(key.name)}`,
      n: callsOf(key),
      most: mostCalls(key),
      closed: key.state === 'open' ? '' : stateText(key.state),
    })),
    ...limited.map(({ id, name, balance, max_calls: most }) => ({
      name,
      to: `/campaigns/${id}?tab=order`,
      n: balance.calling,
      most,
    })),
  ];
}

export const OnTheLine = ({ lines }: { lines: readonly LineProps[] }) => (
  <Section id="line" title="On the line" note="by key, and of the campaigns’ own limits" ruled>
    {lines.map((line) => (
      <Line key={line.to} {...line} />
    ))}
  </Section>
);

/** One that uses all is not ill, and a closed one is not idle. */
type LineProps = { name: string; to: string; n: number; most: number | null; closed?: string };

function Line(line: LineProps) {
  const { name, to, n, most, closed } = line;
  return (
    <div className="grid min-h-8 grid-cols-[minmax(0,1fr)_6rem_4.5rem] items-center gap-x-3 text-sm">
      <PageLink to={to} className="truncate font-medium hover:underline">
        {name} {closed && <span className="font-normal text-bad">{closed}</span>}
        {!closed && most !== null && n >= most && <span className="font-normal text-quiet">full</span>}
      </PageLink>
      <span className={classes(closed && 'rounded-sm outline-[1.5px] outline-bad-fill outline-dashed')}>
        {most !== null && <PartBar part={n / Math.max(1, most)} fill="bg-ink" />}
      </span>
      <span className="number">
        {count(n)} {most !== null && `of ${count(most)}`}
      </span>
    </div>
  );
}

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
