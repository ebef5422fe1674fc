import type { Campaign } from '../../api/description.ts';
import { useAsks } from '../../data/queries.ts';
import { useActiveCampaigns } from '../../shell/campaigns.ts';
import { Waits } from '../campaign/overview/waits.tsx';

const everyMs = 15_000;
const most = 20;

/** Why people wait, over all campaigns that run: the next time counts of those with one. */
export function WhyTheyWait() {
  const running = (useActiveCampaigns().data?.items ?? []).filter(
    ({ state, balance }) => state === 'running' && balance.waiting > 0,
  );
  const places = running.slice(0, most).map(({ id }) => ({ params: { id } }));
  const read = useAsks('GET /api/campaigns/{id}', places, everyMs);
  if (running.length > most || read.length === 0 || read.some(({ data }) => !data)) return null;
  const waits: Campaign['waits'] = {};
  for (const { data } of read)
    for (const [reason, { n, until }] of Object.entries(data!.waits)) {
      const known = waits[reason as keyof typeof waits];
      const first = [known?.until, until].filter((time) => time != null).sort()[0] ?? null;
      waits[reason as keyof typeof waits] = { n: n + (known?.n ?? 0), until: first };
    }
  return <Waits campaign={{ waits }} />;
}
