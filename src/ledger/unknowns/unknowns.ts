import type { Caller, OnUnknown } from '../../rules/order.ts';
import { column, one, run, some, value } from '../answers.ts';
import type { Database } from '../database.ts';
import type { AttemptState } from '../states.ts';

/** An attempt whose outcome the service cannot tell: listed for a person, who settles it. */
export type Unknown = {
  attempt: string;
  /** The first try at the person is 1. */
  number: number;
  campaign: string;
  recipient: number;
  row: number;
  phone: string;
  name: string | null;
  reason: 'lost' | 'accepted' | 'crashed' | 'stale' | 'mismatch' | 'lost-history';
  detail: string | null;
  key: string;
  agent: string | null;
  caller: Caller | null;
  callId: string | null;
  status: string | null;
  dialingAt: Date;
  /** The time after which the request can certainly no longer arrive. */
  freeFrom: Date;
  /** Until when it keeps its phone, unless it is settled before. */
  phoneUntil: Date;
  placedAt: Date | null;
  onUnknown: OnUnknown;
  /** How often the person was called again by the owner's rule. */
  redials: number;
  /** How often it was looked for in the service's list of calls, when last and when next, and the result. */
  looks: number;
  lookedAt: Date | null;
  lookAt: Date | null;
  looked: Looked | null;
};

/** Calls of the list that may be the attempt's, and why they do not settle it. */
export type Looked = { calls: string[]; why: string };

/** An attempt in doubt that is to be looked for in the service's list of calls. */
export type Doubt = {
  id: string;
  laneId: number;
  phone: string;
  agentId: string | null;
  caller: Caller | null;
  reason: string | null;
  looks: number;
  dialingAt: Date;
  expiresAt: Date;
  /** Read from the ledger's clock. */
  at: Date;
  ticket: string | null;
  /** Its create is kept, so that it can be sent again with its idempotency key; and whether that was done. */
  repeatable: boolean;
  repeated: boolean;
};

/** Who sends a create again, and by what its hours were judged: as at an opening. */
type Repeat = {
  ticket: string;
  dialer: string;
  runId: string | null;
  laneCap: number | null;
  validUntil: string | null;
  revision: number;
  policy: number | null;
  timeoutMs: number;
  keepsPhoneMs: number;
};

/** Why a create may be sent again or not; after `over` it never may. */
export type RepeatVerdict =
  | 'open'
  | 'over'
  | 'moved'
  | 'changed'
  | 'closed'
  | 'paused'
  | 'canceled'
  | 'elsewhere'
  | 'suppressed'
  | 'shut'
  | 'full'
  | 'in-use'
  | 'held';

/** `placed`: the calls of which only the end is missing. */
type UnknownCount = { campaign: string; unknown: number; placed: number };

/**
 * The create that was sent for an attempt, as far as it is kept: the agent and the caller number as they were, the rest
 * as it is now.
 */
export type SentCreate = {
  id: string;
  state: AttemptState;
  campaignId: string;
  campaign: string;
  baseUrl: string;
  laneId: number;
  phone: string;
  name: string | null;
  agent: string | null;
  caller: Caller | null;
  callId: string | null;
  variables: Record<string, unknown>;
  override: Record<string, unknown> | null;
  requests: number;
  /** The process that sent it. */
  dialer: string | null;
  expiresAt: Date;
};

export function createUnknowns(db: Database, baseUrl: string) {
  /** Returns the attempts whose recipients may be tried again. */
  const freeAll = (
    attempts: readonly string[],
    reason: string | null,
    force = false,
    at: Pick<Database, 'query'> = db,
  ): Promise<string[]> => column(at, 'unknowns/free', { attempts, reason, force });

  return {
    list: (
      campaignId: string | null,
      most: number | null = null,
      after: string | null = null,
    ): Promise<Unknown[]> => db.query('unknowns/list', { baseUrl, campaignId, most, after, attempt: null }),

    /** How many there are, by campaign, most first. */
    counts: (): Promise<UnknownCount[]> => db.query('unknowns/count', { baseUrl }) as Promise<UnknownCount[]>,

    /** Null for an attempt that is not unknown. */
    get: (attempt: string): Promise<Unknown | null> =>
      one(db, 'unknowns/list', { baseUrl, campaignId: null, most: 1, after: null, attempt }),

    /** Null for an attempt that is over, or that does not exist. */
    sent: (attempt: string): Promise<SentCreate | null> => one(db, 'unknowns/sent', { attemptId: attempt }),

    /**
     * The recipient may be tried again; false while the request may still be on its way, or when it was already
     * settled.
     */
    async free(attempt: string, reason: string | null = null, force = false): Promise<boolean> {
      return (await freeAll([attempt], reason, force)).length > 0;
    },
    freeAll,

    /** Claims attempts in doubt about which the service is due to be asked. */
    toLook: (
      lanes: number[],
      most: number,
      seconds: number,
      lists: boolean,
      runs: string | null,
    ): Promise<Doubt[]> => db.query('unknowns/to_look', { lanes, most, seconds, lists, runs }),

    /** The service was asked, and it is still in doubt; with null seconds it is not asked again. */
    looked: ({ id, ticket }: Doubt, looked: Looked, seconds: number | null, isOver: boolean): Promise<void> =>
      run(db, 'unknowns/looked', { attemptId: id, looked: JSON.stringify(looked), seconds, isOver, ticket }),

    lookLater: ({ id, ticket }: Doubt, seconds: number, reason: 'accepted' | null = null): Promise<void> =>
      run(db, 'unknowns/look_later', { attemptId: id, seconds, reason, ticket }),

    /** Admits the create once more; with its request, if it may leave. */
    async repeat({ id, ticket }: Doubt, by: Repeat): Promise<{ verdict: RepeatVerdict; sent: string }> {
      const { validUntil: closes, ...judged } = by;
      const [row] = await db.query('unknowns/repeat', {
        ...judged,
        attemptId: id,
        ticketBefore: ticket,
        closes,
      });
      return row as { verdict: RepeatVerdict; sent: string };
    },

    /** About how many of a campaign's attempts the service was not asked since their calls must be listed; null where none are. */
    unasked: (campaignId: string, lagSeconds: number | null): Promise<number> =>
      value(db, 'unknowns/unasked', { campaignId, lagSeconds }),

    /** The call was made, and nothing more will be learned about it. */
    called: (attempt: string, reason: string | null = null): Promise<boolean> =>
      some(db, 'unknowns/called', { attemptId: attempt, reason }),

    /** The call was made, and this is its id: it is followed like any other. Null when it is another attempt's. */
    async place(
      attempt: string,
      callId: string,
      deadlineSeconds: number,
      reason: string | null = null,
    ): Promise<{ id: string; laneId: number } | null> {
      const values = { attemptId: attempt, callId, deadlineSeconds, reason };
      const [row]: { id: string; laneId: number }[] = await db.query('unknowns/place', values);
      return row ?? null;
    },
  };
}
