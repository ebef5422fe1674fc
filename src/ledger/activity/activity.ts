import { currentActor, type Role } from '../../base/actor.ts';
import { maskPhone } from '../../base/log.ts';
import { run } from '../answers.ts';
import type { Database } from '../database.ts';

/**
 * The record of who changed what, from where and when, with its state before and after: written with each change, and
 * only read later.
 */
export const activityVerbs = [
  'campaign.create',
  'campaign.change',
  'campaign.start',
  'campaign.run',
  'campaign.pause',
  'campaign.cancel',
  'campaign.retry',
  'campaign.refresh',
  'campaign.clone',
  'campaign.delete',
  'recipients.add',
  'recipient.change',
  'recipient.remove',
  'person.erase',
  'person.lift',
  'secret.forget',
  'keep.set',
  'call.create',
  'call.cancel',
  'call.change',
  'call.refresh',
  'call.judge',
  'unknown.resolve',
  'bulk.start',
  'bulk.end',
  'bulk.stop',
  'suppression.add',
  'suppression.remove',
  'policy.set',
  'key.resume',
  'key.confirm',
  'number.rest',
  'number.return',
  'ledger.confirm',
  'token.create',
  'token.revoke',
  'view.keep',
  'view.remove',
  'webhook.add',
  'webhook.change',
  'webhook.remove',
  'webhook.replay',
  'alert.raise',
  'alert.clear',
  'alert.add',
  'alert.remove',
] as const;
export type ActivityVerb = (typeof activityVerbs)[number];

export type Change = {
  verb: ActivityVerb;
  /** The id of what was changed, if it has one. */
  subject?: string | null;
  /** The id of its campaign. */
  campaign?: string | null;
  /** The changed thing, as the API names it; never a person's name or data. Phones are masked here. */
  before?: object | null;
  after?: object | null;
};

/** A row's place in the record, to the microsecond. */
type ActivityPlace = { at: string; id: number };

export type ActivityRow = {
  id: number;
  at: Date;
  place: string;
  who: string;
  /** The name of the person behind it, as it was then. */
  person: string | null;
  token: string | null;
  role: Role;
  address: string | null;
  verb: string;
  subject: string | null;
  campaignId: string | null;
  /** Null when it was deleted. */
  campaign: string | null;
  before: unknown;
  after: unknown;
};

type ActivityFilter = {
  who: string | null;
  verbs: readonly string[] | null;
  subject: string | null;
  campaignId: string | null;
  since: Date | null;
  until: Date | null;
};

export function createActivity(db: Database) {
  return {
    /** Records it for the current actor: see src/base/actor.ts. */
    record: (change: Change): Promise<void> => run(db, 'activity/add', { change: activityOf(change) }),

    page: (before: ActivityPlace | null, most: number, filter: ActivityFilter): Promise<ActivityRow[]> => {
      const { who, verbs, subject, campaignId, since, until } = filter;
      const [at, id] = [before?.at ?? null, before?.id ?? null];
      return db.query('activity/page', { at, id, most, who, verbs, subject, campaignId, since, until });
    },
  };
}

/** The JSON for a statement that records its own change. */
export function activityOf({ verb, subject, campaign, before, after }: Change): string {
  const { name, person, role, address, token, tool } = currentActor();
  const row = {
    who: name,
    person,
    token_id: token,
    role,
    address,
    verb,
    subject: subject ?? null,
    campaign_id: campaign ?? null,
    before: before ?? null,
    after: tool === undefined ? (after ?? null) : { ...after, tool },
  };
  return maskPhone(JSON.stringify(row));
}
