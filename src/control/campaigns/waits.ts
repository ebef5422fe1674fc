import type { Campaign } from '../../ledger/campaigns/verbs.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { createWaits } from '../../rules/waiting.ts';
import { type CountedWait, countWaits } from '../../rules/waits.ts';

/** Why a campaign's rows wait and until when, counted by reason: from sums, so that a long list costs no more. */
export type ShownWaits = Partial<Record<CountedWait['reason'], { n: number; until: Date | null }>>;

export async function waitsOf(ledger: Ledger, campaign: Campaign, parked: number): Promise<CountedWait[]> {
  const { reports } = ledger;
  const [groups, phones, time] = await Promise.all([
    reports.waiting(campaign.id),
    reports.waitingPhones(campaign.id),
    reports.waitingSoonest(campaign.id),
  ]);
  const now = time.now.getTime();
  return countWaits(createWaits({ ...campaign, calendar: ledger.calendarOf(campaign.times) }, now), {
    groups,
    phones,
    parked,
    soonest: time.soonest,
    now,
  });
}

export function showWaits(waits: readonly CountedWait[]): ShownWaits {
  return Object.fromEntries(waits.map(({ reason, n, until }) => [reason, { n, until }]));
}
