import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Clock } from '../../base/clock.ts';
import type { Config } from '../../base/config/config.ts';
import { CarillonError } from '../../base/errors.ts';
import { createSeal, markOf, type Seal } from '../../base/seal.ts';
import { readSecret } from '../../base/secret.ts';
import { type ResolveHost, resolveChecked, resolveHost } from '../../http/resolve.ts';
import { eventTypes } from '../../ledger/events/events.ts';
import type { KeyedRequest } from '../../ledger/idempotency/idempotency.ts';
import type { Ledger, Together } from '../../ledger/ledger.ts';
import { type NewWebhook, type WebhookRow, webhookStates } from '../../ledger/webhooks/webhooks.ts';
import { readWebUrl } from '../../rules/webhook/url.ts';
import { claim, keptDays, type Once, once, readKeyed } from '../requests/idempotency.ts';
import { read } from '../requests/input.ts';
import { wholeOf } from '../requests/page.ts';
import { shownAs } from '../requests/shown.ts';
import { makeSecret } from './send.ts';

/** Webhooks: added, listed, changed and removed. The secret of one is shown once, when it is added. */
const wantedTypes = z
  .array(z.enum(eventTypes))
  .min(1)
  .max(100)
  .nullable()
  .optional()
  .describe('Types of events; all of them unless named.');

export const webhookInput = z.strictObject({
  url: z.string().max(5_000).describe('An https:// address; http:// where private networks are allowed.'),
  events: wantedTypes,
});

export const webhookChange = webhookInput.partial();

const webhookParts = {
  id: z.uuid(),
  url: z.string(),
  events: z.array(z.string()).nullable().describe('Null is all of them.'),
};
export const madeWebhook = z.object({
  ...webhookParts,
  secret: z.string().describe('The secret that signs its deliveries; it is not shown again.'),
});
export const shownWebhook = z
  .object({
    ...webhookParts,
    state: z
      .enum(webhookStates)
      .describe(
        '`failing`: it is tried with one event at a time. `resting`: nothing is sent until it is tested or replayed.',
      ),
    reason: z
      .string()
      .nullable()
      .describe('Why it fails or rests; for an active webhook with events held, why the last try failed.'),
    since: z.date().describe('Since when it is in this state.'),
    next_at: z.date().nullable().describe('When a failing webhook is tried again.'),
    delivered: z.int(),
    failed: z.int().describe('Tries that failed.'),
    behind: z.int().describe('Events that it has not reached yet, including types that it does not want.'),
    held: z.int().describe('Events that wait for an earlier one of the same person, which it did not take.'),
    held_people: z.int().describe('How many people, or other things, these events are about.'),
    held_since: z.date().nullable().describe('When the first of them was tried for the first time.'),
    created_at: z.date(),
  })
  .meta({ id: 'Webhook' });
export const webhooksAnswer = wholeOf(shownWebhook);

type MadeWebhook = z.output<typeof madeWebhook>;
export type ShownWebhook = z.output<typeof shownWebhook>;

export type WebhookDeps = {
  ledger: Ledger;
  config: Pick<Config, 'secret' | 'home' | 'webhookAllowPrivate'>;
  clock: Clock;
  resolve?: ResolveHost;
};

/** Each costs the notifier a courier and connections of its own. */
const mostWebhooks = 100;
const resolveMs = 5_000;

export function sealOf(config: WebhookDeps['config']): Seal {
  return createSeal(readSecret(config));
}

type WebhookMade = { webhook: string };

/** Only later events are told to it. */
export async function addWebhook(
  deps: WebhookDeps,
  body: unknown,
  key?: unknown,
): Promise<Once<MadeWebhook>> {
  const { ledger, config } = deps;
  const wanted = read(webhookInput, body);
  const events = wanted.events ? [...new Set(wanted.events)] : null;
  const request = readKeyed(['webhook'], key, { url: wanted.url, events });
  const seal = sealOf(config);
  return once<MadeWebhook, WebhookMade>(ledger, request, {
    async again({ webhook }) {
      const row = await ledger.webhooks.find(webhook);
      return row && { id: row.id, url: row.url, events: row.events, secret: seal.open(row.secret, row.id) };
    },
    async act() {
      const url = await checkUrl(deps, wanted.url);
      const others = (await ledger.webhooks.secrets()).filter(({ secret }) => markOf(secret) !== seal.mark);
      if (others.length > 0) throw new CarillonError('secret-other');
      const made = { id: randomUUID(), url, events, secret: makeSecret() };
      await ledger.together((verbs) => store(verbs, made, seal, request));
      return made;
    },
  });
}

async function store(
  { webhooks, activity, idempotency, events }: Together,
  made: MadeWebhook,
  seal: Seal,
  request: KeyedRequest | null,
): Promise<void> {
  await claim(idempotency, request);
  const { id, secret } = made;
  const cursor = await events.number();
  if (!(await webhooks.add({ ...made, secret: seal.seal(secret, id), cursor }, mostWebhooks))) {
    throw new CarillonError('request-invalid', `There are ${mostWebhooks} webhooks already`, {
      remedy: 'Remove one that is not needed any more.',
    });
  }
  await activity.record({ verb: 'webhook.add', subject: id, after: partsOf(made) });
  if (request) await idempotency.keep(request, { webhook: id } satisfies WebhookMade, keptDays);
}

export async function listWebhooks(ledger: Ledger): Promise<{ items: ShownWebhook[]; next: null }> {
  return { items: (await ledger.webhooks.list()).map(showWebhook), next: null };
}

/** Its secret stays. What waits for it goes to another address at once, whatever the one before answered. */
export async function changeWebhook(deps: WebhookDeps, id: string, body: unknown): Promise<ShownWebhook> {
  const wanted = read(webhookChange, body);
  const url = wanted.url === undefined ? null : await checkUrl(deps, wanted.url);
  return deps.ledger.together(async ({ webhooks, activity }) => {
    const row = await findWebhook({ webhooks }, id);
    const events = wanted.events === undefined ? row.events : wanted.events && [...new Set(wanted.events)];
    const now = { id: row.id, url: url ?? row.url, events };
    await webhooks.change(now);
    if (now.url !== row.url) await webhooks.wake(row.id);
    await activity.record({
      verb: 'webhook.change',
      subject: row.id,
      before: partsOf(row),
      after: partsOf(now),
    });
    return showWebhook(await findWebhook({ webhooks }, row.id));
  });
}

/** Events that wait for it are forgotten. */
export async function removeWebhook(
  { ledger }: Pick<WebhookDeps, 'ledger'>,
  id: string,
): Promise<ShownWebhook> {
  return ledger.together(async ({ webhooks, activity }) => {
    const row = await findWebhook({ webhooks }, id);
    await webhooks.remove(row.id);
    await activity.record({ verb: 'webhook.remove', subject: row.id, before: partsOf(row) });
    return showWebhook(row);
  });
}

export async function findWebhook({ webhooks }: Pick<Ledger, 'webhooks'>, id: string): Promise<WebhookRow> {
  const row = z.uuid().safeParse(id).success ? await webhooks.find(id) : null;
  if (!row) throw new CarillonError('webhook-unknown', `The webhook ${id} was not found`);
  return row;
}

export function showWebhook(row: WebhookRow): ShownWebhook {
  const { blocked: held, blockedLines: held_people, blockedSince: held_since } = row;
  return shownAs(shownWebhook, row, { held, held_people, held_since });
}

/** The parts that the activity keeps: a path or a query may be a secret of the receiver. */
export function partsOf({ url, events }: Pick<NewWebhook, 'url' | 'events'>) {
  return { url: new URL(url).origin, events };
}

/** A name that cannot be resolved now may be resolved later: it is checked again at each delivery. */
export async function checkUrl(
  { config, resolve }: Pick<WebhookDeps, 'config' | 'resolve'>,
  given: string,
  code: 'webhook-address' | 'alert-address' = 'webhook-address',
): Promise<string> {
  const allowPrivate = config.webhookAllowPrivate;
  const asked = readWebUrl(given, allowPrivate);
  if ('fault' in asked) throw new CarillonError(code, `The URL ${asked.fault}`);
  const { hostname } = new URL(asked.url);
  const found = await resolveChecked(hostname, allowPrivate, resolve ?? resolveHost, resolveMs);
  if (found.kind === 'refused') throw new CarillonError(code, `The URL is refused: ${found.why}`);
  return asked.url;
}
