import { z } from 'zod';
import { CarillonError } from '../../base/errors.ts';
import type { Campaign } from '../../ledger/campaigns/campaigns.ts';
import type { DeleteRefusal } from '../../ledger/campaigns/people.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { refuseCalls } from './moves.ts';

/** Deletes a campaign with its people, attempts and results. The counts for caps stay, by phone only. */
export const deletedCampaign = z.object({
  id: z.string(),
  campaign: z.string(),
  rows: z.int(),
  attempts: z.int(),
  done: z.boolean().describe('False while rows of a long list are left: the workers delete them.'),
});
type DeletedCampaign = z.output<typeof deletedCampaign>;

/** How long a request waits for the rows to be deleted; the sweeper of any process does the rest. */
const requestMs = 1_000;

/** Answers soon unless `whole` is set. */
export async function deleteCampaign(
  ledger: Ledger,
  nameOrId: string,
  { whole = false }: { whole?: boolean } = {},
): Promise<DeletedCampaign> {
  const campaign = await ledger.campaigns.get(nameOrId);
  refuseCalls(
    campaign,
    ' and cannot be deleted',
    'Their Idempotency-Keys must stay known, or a repeated request would call again.',
  );
  const { rows, attempts } = await ledger.reports.standing(campaign.id);
  const { id, name } = campaign;
  const refusal = await ledger.together(async ({ campaigns, activity }) => {
    const refused = await campaigns.startDelete(id);
    const before = { name, rows, attempts };
    if (!refused) await activity.record({ verb: 'campaign.delete', subject: id, campaign: id, before });
    return refused;
  });
  if (refusal) throw refused(campaign, refusal);
  const end = performance.now() + requestMs;
  let done = false;
  while (!done && (whole || performance.now() < end)) done = await ledger.campaigns.deleteSome(campaign.id);
  return { id: campaign.id, campaign: campaign.name, rows, attempts, done };
}

function refused({ name }: Campaign, refusal: DeleteRefusal): CarillonError {
  switch (refusal) {
    case 'run':
      return new CarillonError('campaign-busy', `The campaign ${name} is dialled by an active run`);
    case 'importing':
      return new CarillonError('campaign-state', `People are being added to the campaign ${name}`, {
        remedy: 'Delete it when the import has ended.',
      });
    case 'running':
      return new CarillonError('campaign-state', `The campaign ${name} is running`, {
        remedy: 'Pause or cancel it first, and delete it when its calls have ended.',
      });
    case 'live':
      return new CarillonError(
        'campaign-state',
        `The campaign ${name} has calls in progress, or calls whose outcome is unknown`,
        { remedy: 'Wait for their end, and resolve those of `carillon unknown list`.' },
      );
  }
}
