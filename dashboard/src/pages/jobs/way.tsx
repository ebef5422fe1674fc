import type { Key } from '../../api/description.ts';
import { useAsks } from '../../data/queries.ts';
import { PartsBar } from '../../kit/balance-bar.tsx';
import { Section } from '../../kit/card.tsx';
import { type WaitReason, waitWords } from '../../kit/waits.ts';
import { useActiveCampaigns } from '../../shell/campaigns.ts';
import { mostCalls, useCallsOf } from '../../shell/live-calls.ts';
import { Until } from '../campaign/overview/waits.tsx';
import { UsedLine } from '../keys/figures.tsx';

/** Everybody who is on the way to a call, as one bar: on the line by key, about to be dialled, and who waits for what. */
export type Wait = { name: string; n: number; reason: WaitReason | null; until: string | null };

export function Way({ keys, waits }: { keys: readonly Key[]; waits: readonly Wait[] }) {
  const callsOf = useCallsOf();
  const planned = keys.reduce((sum, key) => sum + key.planned, 0);
  return (
    <PartsBar
      parts={[
        ...keys.map((key) => [`on the line with ${key.name}`, callsOf(key), 'bg-live-fill'] as const),
        ['about to be dialled', planned, 'bg-ink'] as const,
        ...waits.map(({ name, n, reason }) => [name, n, fillOf(reason)] as const),
      ]}
      legend
      thickness="fat"
      wrap={(name, words) => {
        const wait = waits.find((each) => each.name === name);
        if (!wait?.reason) return words;
        return (
          <>
            {words}, <Until of={wait.reason} at={wait.until} />
          </>
        );
      }}
    />
  );
}

/** Who is next, who waits for something outside, and who has a time of their own. */
function fillOf(reason: WaitReason | null): string {
  if (reason === null || reason === 'calls') return 'bg-ink-2';
  return /^(?:paused|no-run|no-credit|budget|refused|draft|canceled|never)$/.test(reason)
    ? 'hatched'
    : 'bg-ink-3';
}

/** A line and the pace of a key hold back by turns, many times a minute: they are one reason here. */
export const mergedOf = (reason: WaitReason) => (reason === 'rate' ? 'calls' : reason);

/** The calls of each key and of each campaign against the most that it may have. */
export function OnTheLine({ keys }: { keys: readonly Key[] }) {
  const callsOf = useCallsOf();
  const campaigns = useActiveCampaigns().data?.items ?? [];
  return (
    <div>
      <Section id="line" title="On the line" note="by key">
        {keys.map((key) => (
          <UsedLine
            key={key.name}
            name={key.name}
            to={`/live?key=${encodeURIComponent(key.name)}`}
            n={callsOf(key)}
            most={mostCalls(key)}
          />
        ))}
      </Section>
      <Section id="of-campaigns" title="By campaign" note="against its own limit">
        {campaigns
          .filter(
            ({ state, balance: { calling, waiting } }) => calling > 0 || (state === 'running' && waiting > 0),
          )
          .map(({ id, name, balance: { calling: n }, max_calls: most }) => (
            <UsedLine key={id} name={name} to={`/campaigns/${id}`} n={n} most={most} />
          ))}
      </Section>
    </div>
  );
}

const everyMs = 15_000;
const mostCampaigns = 20;

/** Why people wait, over all campaigns that are not over, the most first; of very many campaigns, only how many wait. */
export function useWaits(): Wait[] | null {
  const active = useActiveCampaigns().data?.items;
  const waiting = (active ?? []).filter(({ balance }) => balance.waiting + balance.parked > 0);
  const isMany = waiting.length > mostCampaigns;
  const places = isMany ? [] : waiting.map(({ id }) => ({ params: { id } }));
  const read = useAsks('GET /api/campaigns/{id}', places, everyMs);
  if (!active || read.some(({ data }) => !data)) return null;
  const all: Record<string, Wait> = {};
  const add = (name: string, n: number, reason: WaitReason | null, until: string | null) => {
    const known = all[name];
    const first = [known?.until, until].filter((time) => time != null).sort()[0] ?? null;
    if (n > 0) all[name] = { name, n: n + (known?.n ?? 0), reason, until: first };
  };
  for (const { balance } of isMany ? waiting : []) add('wait', balance.waiting + balance.parked, null, null);
  for (const { data } of read) {
    for (const [id, { n, until }] of Object.entries(data!.waits)) {
      const reason = mergedOf(id as WaitReason);
      // They count people who are about to be dialled too, as waiting for the rate: these are a part of their own.
      add(waitWords[reason], id === 'rate' ? n - data!.balance.queued : n, reason, until);
    }
  }
  return Object.values(all).sort((a, b) => b.n - a.n);
}
