import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { sealOf } from '../webhooks/manage.ts';
import { type AlertAddressDeps, findAlertAddress, openAddress } from './addresses.ts';
import { testMessage } from './message.ts';
import {
  type AlertEvent,
  type OpenedAddress,
  type PostedAlerts,
  postBeat,
  postEvents,
  postMessage,
} from './send.ts';

/** Sends a test to an address now, and wakes one that takes it. */
export const triedAlertAddress = z.object({
  id: z.uuid(),
  delivered: z.boolean(),
  answer: z.string().nullable().describe('What the other side said.'),
  error: z.string().nullable(),
  ms: z.int(),
});
type TriedAlertAddress = z.output<typeof triedAlertAddress>;

export async function testAlertAddress(deps: AlertAddressDeps, ref: string): Promise<TriedAlertAddress> {
  const { ledger, config, clock } = deps;
  const row = await findAlertAddress(ledger, ref);
  const to = openAddress(sealOf(config), row);
  const began = clock.monotonic();
  const { answer, error } = await sendTest(deps, to);
  // If it arrived, what is held follows.
  if (error === null) await ledger.alertAddresses.wake(row.id);
  const ms = Math.round(clock.monotonic() - began);
  return { id: row.id, delivered: error === null, answer, error, ms };
}

function sendTest(deps: AlertAddressDeps, to: OpenedAddress): Promise<Omit<PostedAlerts, 'numbers'>> {
  if (to.kind === 'monitor') return postBeat(deps, to);
  const name = randomUUID().replaceAll('-', '');
  if (to.kind !== 'url') return postMessage(deps, to, testMessage(deps.config.publicUrl), name);
  const id = `evt_test_${name}`;
  const at = new Date(deps.clock.now());
  const body = JSON.stringify({ id, type: 'alert.test', at, data: { address: to.id } });
  return postEvents(deps, to, [{ number: 0, id, body } satisfies AlertEvent]);
}
