import type { App } from '../../app.ts';
import { forecastCampaign, type ShownForecast } from '../../control/campaigns/forecast.ts';
import { createStandstills } from '../../control/campaigns/standstill.ts';
import { waitsOf } from '../../control/people/waits.ts';
import type { Standstill } from '../../rules/standstill.ts';
import type { CountedWait } from '../../rules/wait-reason.ts';

/** What a run's progress shows besides its counts: when it will end, why rows wait, and why it makes no call. */
export type Outlook = {
  forecast: ShownForecast | null;
  waits: readonly CountedWait[];
  standstill: Standstill | null;
};

const leastEveryMs = 2_000;
const mostEveryMs = 30_000;

/**
 * Returns the last reading, and reads again in the background; null before the first. A capped run ends early, so its
 * end is not forecast.
 */
export function createOutlook(app: App, campaignId: string, isCapped: boolean): () => Outlook | null {
  const { ledger } = app;
  let last: Outlook | null = null;
  let dueAt = 0;
  let reading = false;

  const read = async () => {
    const campaign = await ledger.campaigns.get(campaignId);
    const { counts } = await ledger.reports.standing(campaignId);
    const waits = await waitsOf(ledger, campaign, counts);
    const standstill = await createStandstills(ledger)(campaign, counts, waits);
    const forecast = isCapped ? null : await forecastCampaign(app, campaignId, {}, standstill);
    last = { waits, standstill, forecast };
  };
  return () => {
    const began = performance.now();
    if (!reading && began >= dueAt) {
      reading = true;
      read()
        // The ledger is away: the last reading stays.
        .catch(() => undefined)
        .finally(() => {
          // Reading a large campaign takes longer: it may use a twentieth of the time at most.
          const wanted = Math.max(leastEveryMs, (performance.now() - began) * 19);
          dueAt = performance.now() + Math.min(mostEveryMs, wanted);
          reading = false;
        });
    }
    return last;
  };
}
