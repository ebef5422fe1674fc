import { z } from 'zod';
import type { Clock } from '../../base/clock.ts';
import { CarillonError } from '../../base/errors.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { readSince, readUntil } from '../../rules/time/until.ts';
import { read, text } from '../requests/input.ts';
import { findWebhook, partsOf, type ShownWebhook, showWebhook } from './manage.ts';

/** Delivers again what an address was already told: from a time, or after an event. */
export const replayInput = z.strictObject({
  since: text(100).optional().describe('A time, a date, or a span such as `2h` for so long ago.'),
  event: text(100).optional().describe('The id of the first event.'),
});

type ReplayDeps = { ledger: Ledger; clock: Pick<Clock, 'now'> };

export async function replayWebhook(deps: ReplayDeps, ref: string, body: unknown): Promise<ShownWebhook> {
  const { ledger, clock } = deps;
  const { since, event } = read(replayInput, body);
  if ((since === undefined) === (event === undefined)) {
    throw new CarillonError('request-invalid', 'Either since or event must be given, and not both');
  }
  const { id } = await findWebhook(ledger, ref);
  // Everything that happened until now then has its number.
  await ledger.events.number();
  const after =
    event === undefined
      ? await ledger.webhooks.numberBefore(startOf(since!, clock.now()))
      : await beforeEvent(ledger, event);
  return ledger.together(async ({ webhooks, activity }) => {
    const row = await findWebhook({ webhooks }, id);
    await webhooks.replay(id, after);
    const from = event === undefined ? { since } : { event };
    await activity.record({ verb: 'webhook.replay', subject: id, after: { ...partsOf(row), ...from } });
    return showWebhook(await findWebhook({ webhooks }, id));
  });
}

async function beforeEvent(ledger: Ledger, event: string): Promise<number> {
  const number = await ledger.events.place(event);
  if (typeof number === 'number') return number - 1;
  throw new CarillonError('request-invalid', `The event ${event} is not known, or is not kept any more`, {
    remedy: 'Give the id of a later event, or a time with since.',
  });
}

function startOf(given: string, now: number): Date {
  const at = readSince(given, now);
  if (at !== null) return new Date(at);
  if (readUntil(given, now) !== null)
    throw new CarillonError('request-invalid', `since: "${given}" is in the future`);
  throw new CarillonError('request-invalid', `since: "${given}" is neither a time nor a span`, {
    remedy: 'Give a time such as 2027-03-31T18:00:00Z, a date, or a span such as 2h.',
  });
}
