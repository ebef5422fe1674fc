import { z } from 'zod';
import type { Clock } from '../../base/clock.ts';
import { CarillonError } from '../../base/errors.ts';
import type { CallRow } from '../../ledger/calls/calls.ts';
import type { Campaign } from '../../ledger/campaigns/campaigns.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { attemptsOf } from './attempts.ts';
import { recipientId } from './filter.ts';
import { foundPerson } from './search.ts';
import { shower, timezones, zonesOf } from './show.ts';

/** One person on a campaign's list: found by id or phone, and shown with every attempt. */
export const personAnswer = foundPerson
  .extend({
    variables: z
      .record(z.string(), z.unknown())
      .describe('The variables of the next call; `input` is what was given.'),
    timezones,
  })
  .meta({ id: 'Person' });
export type Person = z.output<typeof personAnswer>;

export async function showPerson(
  { ledger, clock }: { ledger: Ledger; clock: Pick<Clock, 'now'> },
  nameOrId: string,
  ref: string,
): Promise<Person> {
  const campaign = await ledger.campaigns.get(nameOrId);
  const call = await findPerson(ledger, campaign, ref);
  const [attempts, variables] = await Promise.all([
    attemptsOf(ledger, call.id),
    ledger.people.variablesOf(call.id),
  ]);
  const show = await shower(ledger, campaign, clock.now());
  return { ...show(call), attempts, variables, timezones: zonesOf(call) };
}

/** The person with the version of the row, which an `If-Match` names. */
export async function readPerson(
  deps: { ledger: Ledger; clock: Pick<Clock, 'now'> },
  nameOrId: string,
  ref: string,
): Promise<{ person: Person; version: string }> {
  const { ledger } = deps;
  const { id } = await findPerson(ledger, await ledger.campaigns.get(nameOrId), ref);
  // Read first: a change in between then counts as a change.
  const version = await ledger.people.versionOf(id);
  return { person: await showPerson(deps, nameOrId, String(id)), version: version ?? '' };
}

/** Finds by the recipient's id, or by the phone. */
export async function findPerson(ledger: Ledger, campaign: Campaign, ref: string): Promise<CallRow> {
  const own = recipientId.safeParse(ref).success
    ? Number(ref)
    : await ledger.people.idOf(campaign.id, ref.trim());
  const call = own === null ? null : await ledger.calls.find(own);
  if (call?.campaignId === campaign.id) return call;
  throw new CarillonError('recipient-unknown', `${campaign.name} has no recipient ${ref}`);
}
