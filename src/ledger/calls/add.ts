import { createBatch } from '../../base/batch.ts';
import { createBoundedMap } from '../../base/bounded-map.ts';
import { activityOf } from '../activity/activity.ts';
import type { CampaignState } from '../campaigns/campaigns.ts';
import { asLedgerError, type Database, isLedgerAway } from '../database.ts';
import type { KeyedRequest } from '../idempotency/idempotency.ts';
import { jsonOf } from '../json.ts';

/**
 * Single calls: left to the background workers, or planned at once for someone who waits. Calls that are ordered while
 * a transaction commits are added together by the next one: each is answered after its commit, and the commit is most
 * of an order's cost.
 */
export type CallOrder = {
  phone: string;
  name: string | null;
  place: string;
  variables: Record<string, unknown>;
  override: Record<string, unknown> | null;
  /** The call is planned there at once, unless a contact rule holds it; without a lane the planner plans it. */
  lane?: number | undefined;
  /** The span of the program that ordered it. */
  traceparent?: string | null | undefined;
  /** The person who ordered it despite the contact rules; null obeys them. */
  overriddenBy?: string | null;
  /** The agent, for the activity. */
  agent?: string;
  /** A repeated request adds nobody. */
  request: KeyedRequest | null;
};

/**
 * `id` is null when nobody was added: the campaign does not dial, the phone is suppressed, or the request was a repeat.
 * The campaign is null when it is gone. `attempt` is null unless the call was planned; no queue has it yet.
 */
export type CallAdded = {
  id: number | null;
  campaign: CampaignState | null;
  suppressed: boolean;
  attempt: string | null;
};

type Item = {
  campaign: string;
  names: string[];
  /** The item as the statement reads it. Written when it is ordered, while the sender is known. */
  json: string;
};

/** Enough for many connections, in a statement that is still short. */
const mostTogether = 100;
/** Campaigns whose columns are remembered, each with its names. */
const mostKnown = 1_000;

export function createAdd(db: Database) {
  const known = createBoundedMap<Set<string>>(mostKnown);

  const addAll = async (items: readonly Item[]): Promise<CallAdded[]> => {
    const added: CallAdded[] = await db.query('calls/add', {
      calls: `[${items.map(({ json }) => json).join()}]`,
    });
    await addColumns(items.filter((_item, at) => added[at]!.id !== null));
    return added;
  };

  /** Names are only added, and most calls have those of the calls before them. */
  const addColumns = async (items: readonly Item[]): Promise<void> => {
    const fresh = new Map<string, Set<string>>();
    for (const { campaign, names } of items) {
      const columns = known.get(campaign);
      for (const name of names) {
        if (columns?.has(name)) continue;
        fresh.set(campaign, (fresh.get(campaign) ?? new Set()).add(name));
      }
    }
    for (const campaign of [...fresh.keys()].sort()) {
      const names = [...fresh.get(campaign)!];
      await db.query('calls/columns', { campaignId: campaign, names });
      known.set(campaign, new Set([...(known.get(campaign) ?? []), ...names]));
    }
  };

  const together = createBatch<Item, CallAdded>(
    async (items) => {
      try {
        return await addAll(items);
      } catch (error) {
        if (items.length === 1 || isLedgerAway(error)) throw asLedgerError(error);
        // All were undone: one that the ledger refuses must not fail the others.
        const answers: (CallAdded | Promise<CallAdded>)[] = [];
        for (const item of items) {
          const [one] = await Promise.allSettled([addAll([item])]);
          answers.push(one.status === 'fulfilled' ? one.value[0]! : refused(one.reason));
        }
        return answers;
      }
    },
    { most: mostTogether, momentMs: 0 },
  );

  return (campaign: string, order: CallOrder): Promise<CallAdded> => {
    const { phone, name, place, variables, override, lane, overriddenBy, request } = order;
    const { traceparent = null } = order;
    const fields = {
      campaign,
      phone,
      name,
      place,
      variables,
      override,
      lane: lane ?? null,
      ordered_by: overriddenBy ?? null,
      traceparent,
      request: request?.ref ?? null,
      asked: request?.asked ?? null,
    };
    const json = `${jsonOf(fields).slice(0, -1)},"change":${orderedOf(phone, order)}}`;
    return together({ campaign, names: Object.keys(variables), json });
  };
}

/** Only the sender of this order learns of it. */
function refused(reason: unknown): Promise<never> {
  const refusal = Promise.reject(reason);
  refusal.catch(() => undefined);
  return refusal;
}

/** The activity's record of an order; the statement that adds the person adds their id. */
function orderedOf(
  phone: string,
  { agent, overriddenBy }: { agent?: string | undefined; overriddenBy?: string | null | undefined },
): string {
  const after = { phone, agent, ...(overriddenBy ? { ignore_policy: true } : {}) };
  return activityOf({ verb: 'call.create', after });
}
