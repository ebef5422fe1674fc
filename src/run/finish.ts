import { exportAttempts } from '../control/people/person.ts';
import { exportRejects, exportResults } from '../control/people/show.ts';
import type { ResultFormat } from '../export/results.ts';
import type { Target } from '../export/target.ts';
import type { Campaign } from '../ledger/campaigns/campaigns.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Ending } from './drive.ts';

/** The end of a run: the campaign rests, planned people wait again or are parked, and what is known is written. */
export async function layDown(
  ledger: Ledger,
  campaign: Campaign,
  runId: string,
  ending: Ending,
): Promise<void> {
  const { campaigns, attempts } = ledger;
  if (ending.kind === 'stuck' && ending.why === 'parked') {
    await campaigns.parkRest(campaign.id, ending.words ?? 'insufficient credits');
  } else {
    await attempts.release(campaign.id, 'the run ended');
  }
  const isDone = ending.kind === 'done';
  await campaigns.rest(campaign.id, runId, isDone ? 'done' : 'paused', isDone ? null : reasonOf(ending));
}

/** The reason of a campaign that is paused because its run reached its --limit. */
export const limitReached = 'the run’s limit was reached';

function reasonOf(ending: Ending): string {
  if (ending.kind === 'stuck') return `${ending.why}${ending.words ? `: ${ending.words}` : ''}`;
  if (ending.kind === 'first') return 'first';
  return ending.kind === 'limit' ? limitReached : 'the run was interrupted';
}

/** `attempts` is null if the long form was not requested; it is in the format of the results. */
type RunFiles = { format: ResultFormat; results: Target; rejects: Target; attempts: Target | null };

export type Written = { results: number; rejected: number; attempts: number | null };

export async function writeFiles(
  ledger: Ledger,
  now: number,
  { id }: Pick<Campaign, 'id'>,
  to: RunFiles,
): Promise<Written> {
  const campaign = await ledger.campaigns.get(id);
  const results = await exportResults(ledger, now, campaign, to.results, to.format);
  const rejected = await exportRejects(ledger, campaign, to.rejects);
  const attempts = to.attempts ? await exportAttempts(ledger, campaign, to.attempts, to.format) : null;
  return { results, rejected, attempts };
}
