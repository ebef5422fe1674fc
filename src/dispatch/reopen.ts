import type { Reopenable } from '../ledger/campaigns/again.ts';
import type { Campaign } from '../ledger/campaigns/verbs.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { nextAttemptAt } from '../rules/retry.ts';
import { placeOf } from './settle.ts';

/** The reopen station: an order that allows more attempts frees people who were done, each at the time of its rule. */
export async function reopenPeople(
  { campaigns }: Pick<Ledger, 'campaigns'>,
  campaignId: string,
  mayContinue: () => boolean = () => true,
): Promise<boolean> {
  let after = { row: -1, id: -1 };
  let judgedBy: number | undefined;
  do {
    const campaign = await campaigns.find(campaignId);
    if (!campaign || campaign.reopening === null) return true;
    // Another order decides otherwise: from the first person again.
    if (campaign.revision !== judgedBy) after = { row: -1, id: -1 };
    judgedBy = campaign.revision;
    const people = await campaigns.reopenable(campaignId, Object.keys(campaign.retry), after);
    const last = people.at(-1);
    if (!last) {
      await campaigns.reopened(campaignId, campaign.reopening);
      await campaigns.wake(campaignId);
      return true;
    }
    await campaigns.reopenPeople(
      campaignId,
      campaign.revision,
      people.flatMap((person) => timeOf(campaign, person)),
    );
    after = { row: last.row, id: last.id };
  } while (mayContinue());
  return false;
}

function timeOf(campaign: Campaign, { id, zones, endedAt, ...tried }: Reopenable) {
  const at = nextAttemptAt(tried, campaign, endedAt.getTime(), placeOf(campaign, zones));
  return at === null ? [] : [{ id, at: new Date(at).toISOString() }];
}
