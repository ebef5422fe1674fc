import type { Campaign } from '../ledger/campaigns/campaigns.ts';
import type { Renewable } from '../ledger/campaigns/people.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Calendar } from '../rules/calendar/calendar.ts';
import { nextAttemptAt } from '../rules/retry.ts';
import { whereIs } from './settle.ts';

/** The renew station: an order that allows more attempts frees people who were done, each at the time of its rule. */
export async function renewPeople(
  { campaigns, calendarOf }: Pick<Ledger, 'campaigns' | 'calendarOf'>,
  campaignId: string,
  mayContinue: () => boolean = () => true,
): Promise<boolean> {
  let after = { row: -1, id: -1 };
  let judgedBy: number | undefined;
  do {
    const campaign = await campaigns.find(campaignId);
    if (!campaign || campaign.renewing === null) return true;
    // Another order decides otherwise, so this starts again from the first person.
    if (campaign.revision !== judgedBy) after = { row: -1, id: -1 };
    judgedBy = campaign.revision;
    const people = await campaigns.renewable(campaignId, Object.keys(campaign.retry), after);
    const last = people.at(-1);
    if (!last) {
      await campaigns.renewed(campaignId, campaign.renewing);
      await campaigns.wake(campaignId);
      return true;
    }
    await campaigns.renewPeople(
      campaignId,
      campaign.revision,
      people.flatMap((person) => timeOf(campaign, calendarOf(campaign.times), person)),
    );
    after = { row: last.row, id: last.id };
  } while (mayContinue());
  return false;
}

function timeOf(campaign: Campaign, calendar: Calendar | null, { id, place, endedAt, ...tried }: Renewable) {
  const at = nextAttemptAt(tried, campaign, endedAt.getTime(), whereIs(place, calendar));
  return at === null ? [] : [{ id, at: new Date(at).toISOString() }];
}
