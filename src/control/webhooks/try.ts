import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { webhookStates } from '../../ledger/webhooks/webhooks.ts';
import { findWebhook, sealOf, type WebhookDeps } from './manage.ts';
import { createSender } from './send.ts';

/** Sends one event to an address now, and wakes an address that accepts it. */
export const triedAnswer = z.object({
  id: z.uuid(),
  event: z.string().describe('The id that was sent. Its type is `webhook.test`.'),
  delivered: z.boolean(),
  status: z.int().nullable().describe('Null where there was no answer.'),
  ms: z.int(),
  error: z.string().nullable(),
  state: z.enum(webhookStates).describe('Afterwards.'),
});
type TriedWebhook = z.output<typeof triedAnswer>;

export async function testWebhook(deps: WebhookDeps, ref: string): Promise<TriedWebhook> {
  const { ledger, config, clock, resolve } = deps;
  const { id, url, secret, state } = await findWebhook(ledger, ref);
  const event = `evt_test_${randomUUID().replaceAll('-', '')}`;
  const at = new Date(clock.now());
  const body = JSON.stringify({ id: event, type: 'webhook.test', at, data: { webhook: id } });
  const sender = createSender({
    url,
    secret: sealOf(config).open(secret, id),
    allowPrivate: config.webhookAllowPrivate,
    clock,
    resolve,
  });
  try {
    const { ok, status, ms, error } = await sender.send({ id: event, body });
    // If it succeeds, queued events follow.
    const woken = ok && (await ledger.webhooks.wake(id));
    return { id, event, delivered: ok, status, ms, error, state: woken ? 'active' : state };
  } finally {
    await sender.close();
  }
}
