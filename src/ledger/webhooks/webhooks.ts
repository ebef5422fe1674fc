import { one, run, some, value } from '../answers.ts';
import type { Database } from '../database.ts';
import { jsonOf } from '../json.ts';

/** Webhooks: addresses that are told what happens, how far each is, and what waits for it. */
export const webhookStates = ['active', 'failing', 'resting'] as const;
type WebhookState = (typeof webhookStates)[number];

export type NewWebhook = {
  id: string;
  url: string;
  /** Sealed. */
  secret: string;
  /** Null is all. */
  events: readonly string[] | null;
  /** It is told of events after this one. */
  cursor: number;
};

/** An address and its progress. */
type WebhookStanding = {
  id: string;
  url: string;
  /** Sealed. */
  secret: string;
  /** Null is all. */
  events: string[] | null;
  state: WebhookState;
  reason: string | null;
  since: Date;
  /** When a failing address is tried again. */
  nextAt: Date | null;
  delivered: number;
  failed: number;
};

export type WebhookRow = WebhookStanding & {
  /** Events that it was not told of yet, wanted or not. */
  behind: number;
  /** Events that wait for an earlier one, which the address did not take; and about how many people or things. */
  blocked: number;
  blockedLines: number;
  /** Since when the first of them failed. */
  blockedSince: Date | null;
  createdAt: Date;
};

/** An address that this process delivers to. */
export type ClaimedWebhook = WebhookStanding & {
  tries: number;
  cursor: number;
  revision: number;
  /** How long the claim of this process still lasts. */
  leaseMs: number;
};

/** An event that waits; `line` is the person or thing that it is about. */
export type BlockedEvent = {
  number: number;
  line: string;
  tries: number;
  since: Date | null;
  nextAt: Date | null;
};

export type DeliveryRow = {
  /** Its place among all deliveries of the address. */
  n: number;
  at: Date;
  event: string;
  type: string;
  try: number;
  delivered: boolean;
  status: number | null;
  ms: number;
  error: string | null;
};

/** A delivery with whom and what its event is about. */
export type ToldDelivery = DeliveryRow & {
  campaignId: string | null;
  campaign: string | null;
  recipientId: number | null;
  phone: string | null;
  name: string | null;
};

/** What a process did for an address since it last saved that. */
export type WebhookProgress = {
  cursor: number;
  state: WebhookState;
  reason: string | null;
  since: Date;
  tries: number;
  nextAt: Date | null;
  delivered: number;
  failed: number;
  /** Numbers that wait no longer. */
  gone: readonly number[];
  blocked: readonly BlockedEvent[];
  /** `slot`: its place among those that ended like it; the newest overwrites the oldest. */
  log: readonly (DeliveryRow & { slot: number })[];
};

/** How many deliveries of each end are kept. */
export const mostLogged = 100;

/** A process takes this many new addresses at a time, so that others get some too. */
const mostNew = 4;

export function createWebhooks(db: Database) {
  return {
    /** False when there are as many as allowed. */
    add: ({ id, url, secret, events, cursor }: NewWebhook, most: number): Promise<boolean> =>
      some(db, 'webhooks/add', { id, url, secret, events, cursor, most }),

    list: (): Promise<WebhookRow[]> => db.query('webhooks/list', { id: null }),

    find: (id: string): Promise<WebhookRow | null> => one(db, 'webhooks/list', { id }),

    change: ({ id, url, events }: Pick<NewWebhook, 'id' | 'url' | 'events'>): Promise<void> =>
      run(db, 'webhooks/change', { id, url, events }),

    /** False when it does not exist. */
    remove: (id: string): Promise<boolean> => some(db, 'webhooks/remove', { id }),

    /**
     * Everything that this process delivers to, after it claimed what is free and extended its own claims: only
     * addresses whose secrets it can read, by the mark of what sealed them.
     */
    async claim(claimant: string, leaseMs: number, mark: string): Promise<ClaimedWebhook[]> {
      // Renewed when half of it is over.
      await db.query('webhooks/claim', {
        claimant,
        seconds: leaseMs / 1_000,
        mostNew,
        prolongSeconds: leaseMs / 2_000,
        opens: `${mark}.`,
      });
      return db.query('webhooks/claimed', { claimant });
    },

    secrets: (): Promise<{ secret: string }[]> => db.query('webhooks/secrets'),

    release: (claimant: string, ids: readonly string[]): Promise<void> =>
      run(db, 'webhooks/release', { claimant, ids }),

    blocked: (id: string): Promise<BlockedEvent[]> => db.query('webhooks/blocked', { id }),

    /** False when this process has lost its claim, or a person has changed the address. */
    async save(
      { id, revision }: Pick<ClaimedWebhook, 'id' | 'revision'>,
      claimant: string,
      { gone, blocked, log, ...now }: WebhookProgress,
    ): Promise<boolean> {
      return some(db, 'webhooks/save', {
        id,
        claimant,
        revision,
        state: jsonOf(now),
        done: gone.map(String),
        waiting: jsonOf(blocked),
        delivered: jsonOf(log),
      });
    },

    /** Whether it was not active, or events waited for it. */
    wake: (id: string): Promise<boolean> => some(db, 'webhooks/wake', { id }),

    /**
     * Starts again after this event; returns the number after which it really does. Null when the address does not
     * exist.
     */
    replay: (id: string, after: number): Promise<number | null> =>
      value(db, 'webhooks/replay', { id, after }),

    /** The event after which a replay from a time begins. */
    numberBefore: (since: Date): Promise<number> => value(db, 'webhooks/number_before', { since }),

    deliveries: (
      id: string,
      delivered: boolean | null,
      before: number | null,
      most: number,
    ): Promise<ToldDelivery[]> => db.query('webhooks/deliveries', { id, delivered, before, most }),
  };
}
