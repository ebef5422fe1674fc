import { randomUUID } from 'node:crypto';
import { createAsides } from '../../base/asides.ts';
import { createBatch } from '../../base/batch.ts';
import { CarillonError, errorLine } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { Meters } from '../../base/metrics/meters.ts';
import { markOf, type Seal } from '../../base/seal.ts';
import type { Rounds } from '../../base/stuck-loops.ts';
import { type BodyDeps, showEvents } from '../../control/events/bodies.ts';
import { sealOf, type WebhookDeps } from '../../control/webhooks/manage.ts';
import { createSender } from '../../control/webhooks/send.ts';
import type { ResolveHost } from '../../http/resolve.ts';
import type { LedgerEvent } from '../../ledger/events/events.ts';
import type { ClaimedWebhook } from '../../ledger/webhooks/webhooks.ts';
import { type Courier, createCourier } from './courier.ts';

/** Shares the addresses with other processes, and runs a courier for each of ours. */
export type Notify = {
  /** Claims addresses, sends what is due; returns in how many milliseconds to look again. */
  round(): Promise<number>;
  /** Delivers what happened until now, for a process that ends; addresses that fail are left to others. */
  settle(patienceMs: number): Promise<void>;
  close(): Promise<void>;
};

type NotifyParts = Pick<BodyDeps, 'ledger' | 'lanes' | 'clock'> & {
  config: WebhookDeps['config'];
  engine: { bucket: BodyDeps['bucket'] };
  log: Log;
  meters: Pick<Meters, 'webhookTries'>;
  rounds?: Pick<Rounds, 'asides'> | undefined;
};

/** Tests set other name resolution, and less patience. */
export type NotifyOptions = { resolve?: ResolveHost; timeoutMs?: number };

const mostBodies = 50;
/** If this process dies, another one takes its addresses after this long. */
const leaseMs = 10_000;
/** How soon a new event is noticed. */
export const beatMs = 500;
/** How often a process without any address looks for one: a notice tells of a new one, which a run does not hear. */
const unusedMs = 5_000;
const leastMs = 20;

export function createNotify(parts: NotifyParts, options: NotifyOptions = {}): Notify {
  const { ledger, lanes, clock, log, config, engine, meters } = parts;
  const { guard } = parts.rounds?.asides ?? createAsides(parts);
  const show = async (events: LedgerEvent[]) => {
    const bodies: string[] = [];
    while (bodies.length < events.length) {
      const rest = events.slice(bodies.length);
      const shown = await showEvents({ ledger, lanes, clock, bucket: engine.bucket }, rest);
      bodies.push(...shown.map((event) => JSON.stringify(event)));
    }
    return bodies;
  };
  const readBodies = createBatch(show, { most: mostBodies });
  const claimant = randomUUID();
  const couriers = new Map<string, Courier>();
  /** A courier that ends must have saved its progress before another one begins. */
  const ending = new Map<string, Promise<void>>();
  let warned = '';
  let seal: Seal | undefined;

  const retire = (id: string, courier: Courier) => {
    couriers.delete(id);
    const ended = courier.close().finally(() => ending.delete(id));
    ending.set(id, ended);
  };

  const engage = async (webhook: ClaimedWebhook, seal: Seal): Promise<Courier> => {
    const { id, url } = webhook;
    const blocked = await ledger.webhooks.blocked(id);
    const secret = seal.open(webhook.secret, id);
    const allowPrivate = config.webhookAllowPrivate;
    const sender = createSender({ url, secret, allowPrivate, clock, ...options });
    return createCourier(webhook, blocked, {
      ledger,
      readBody: readBodies,
      sender,
      claimant,
      clock,
      log,
      meters,
    });
  };

  /** Warned once: somebody must set the right secret, and until then other processes may have it. */
  const warnOfOthers = (sealed: readonly { secret: string }[], mark: string) => {
    const others = sealed.filter(({ secret }) => markOf(secret) !== mark).length;
    const line = others === 0 ? '' : errorLine(new CarillonError('secret-other'));
    if (line !== '' && line !== warned) log.error({ webhooks: others }, line);
    warned = line;
  };

  const notify: Notify = {
    async round() {
      const all = await ledger.webhooks.secrets();
      // No secret is created while there is no webhook.
      if (all.length === 0 && couriers.size === 0) return unusedMs;
      seal ??= sealOf(config);
      warnOfOthers(all, seal.mark);
      const mine = await ledger.webhooks.claim(claimant, leaseMs, seal.mark);
      const head = mine.length > 0 ? await ledger.events.number() : 0;
      for (const [id, courier] of couriers) {
        const webhook = mine.find((each) => each.id === id);
        if (courier.isOver() || webhook?.revision !== courier.revision) retire(id, courier);
      }
      for (const webhook of mine) {
        await guard('notifier', webhook.id, async () => {
          if (!couriers.has(webhook.id) && !ending.has(webhook.id))
            couriers.set(webhook.id, await engage(webhook, seal!));
          couriers.get(webhook.id)?.pump(webhook.leaseMs, head);
        });
      }
      // An event that is due already waits for a delivery that is under way, and begins at its end.
      const waits = [...couriers.values()]
        .map((courier) => (courier.nextAt() ?? 0) - clock.now())
        .filter((ms) => ms > 0);
      return Math.max(leastMs, Math.min(beatMs, ...waits));
    },

    async settle(patienceMs) {
      const end = clock.monotonic() + patienceMs;
      do {
        await notify.round();
        const isIdle = [...couriers.values()].every((courier) => courier.isIdle() && !courier.isOver());
        if (isIdle && ending.size === 0) break;
        await clock.sleep(leastMs);
      } while (clock.monotonic() < end);
    },

    async close() {
      const ids = [...couriers.keys()];
      for (const [id, courier] of couriers) retire(id, courier);
      await Promise.all(ending.values());
      await ledger.webhooks.release(claimant, ids);
    },
  };
  return notify;
}
