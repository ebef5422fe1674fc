import { z } from 'zod';
import { CarillonError } from '../../base/errors.ts';
import type { HangUpTold } from '../../ledger/hang-ups/hang-ups.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { ServiceAccess } from '../service/access.ts';

/** Waits while calls are hung up, here and by the workers, and reports the outcome. */
export const hungUpShape = z
  .object({
    calls: z.int(),
    hung_up: z.int(),
    ended: z.int().describe('Calls that had ended, or were never made.'),
    refused: z.int(),
    waiting: z.int().describe('Calls that are hung up as soon as the service can be reached with their key.'),
    refusals: z.array(z.string()).describe('The service’s words where it refused.'),
  })
  .meta({ id: 'HungUp' });

export type HungUp = z.output<typeof hungUpShape>;

/** Used by callers that can wait: what an act did with the calls in progress. */
export type HangUpWait = (attempts: string[]) => Promise<HungUp>;

export const nothingToHangUp = 'There is nothing to hang up: read the call to see how it ended.';

const lookMs = 200;
const patienceMs = 30_000;
const mostRefusals = 5;

export async function followHangUps(service: ServiceAccess, attempts: string[]): Promise<HungUp> {
  return countOf(await outcomesOf(service, attempts));
}

/** Waits until every call has an outcome, or the time is up. */
async function outcomesOf(
  { ledger, clock, hangUp, patienceMs: most = patienceMs }: ServiceAccess,
  attempts: string[],
): Promise<HangUpTold[]> {
  const end = clock.monotonic() + most;
  for (;;) {
    const told = attempts.length > 0 ? await ledger.hangUps.outcomes(attempts) : [];
    if (told.every((each) => each.outcome !== null) || clock.monotonic() > end) return told;
    await hangUp();
    const rest = await ledger.hangUps.outcomes(attempts);
    if (rest.some((each) => each.outcome === null)) await clock.sleep(lookMs);
  }
}

function countOf(told: readonly HangUpTold[]): HungUp {
  const many = (...outcomes: (string | null)[]) =>
    told.filter((each) => outcomes.includes(each.outcome)).length;
  const words = told.flatMap((each) => (each.outcome === 'refused' && each.detail ? [each.detail] : []));
  return {
    calls: told.length,
    hung_up: many('hung-up'),
    ended: many('ended', 'no-call'),
    refused: many('refused'),
    waiting: many(null),
    refusals: [...new Set(words)].slice(0, mostRefusals),
  };
}

/** Hangs up one call; a refusal is thrown. */
export async function hangUpOne(service: ServiceAccess, attempt: string, ref: string): Promise<void> {
  const [told] = await outcomesOf(service, await service.ledger.hangUps.ofAttempt(attempt));
  if (told?.outcome === 'hung-up') return;
  const detail = told?.detail ? `: ${told.detail}` : '';
  if (told?.outcome === 'refused') {
    throw new CarillonError('service-answer', `The service did not hang up the call ${ref}${detail}`, {
      remedy: 'Look at the call with `carillon call show`; it is followed to its end.',
    });
  }
  if (told && told.outcome === null) {
    throw new CarillonError('service-answer', `The call ${ref} could not be hung up yet${detail}`, {
      remedy: 'The workers hang it up when the service answers.',
    });
  }
  throw new CarillonError('attempt-state', `The call ${ref} had ended`, { remedy: nothingToHangUp });
}

/**
 * An act that stops calls answers only when none can begin any more. After its commit the fence admits nobody; a create
 * that was admitted before is answered soon or not sent, because a dialer sends nothing two seconds after its commit.
 * The ledger knows this of every process.
 */
export type LastSendsDeps = {
  ledger: Ledger;
  clock: { sleep(ms: number): Promise<void>; monotonic(): number };
};

const lastLookMs = 25;
/** No request leaves later than this after its attempt was opened. */
const mostSendMs = 2_000;

/** Which campaigns and which phones; null is any. */
type LastSendsScope = { campaigns?: string[] | null; phones?: string[] | null };

export async function awaitLastSends({ ledger, clock }: LastSendsDeps, of: LastSendsScope): Promise<void> {
  const end = clock.monotonic() + mostSendMs;
  for (;;) {
    const { leaving, withinMs } = await ledger.attempts.leaving(of.campaigns ?? null, of.phones ?? null);
    const leftMs = Math.min(end - clock.monotonic(), withinMs);
    if (leaving === 0 || leftMs <= 0) return;
    await clock.sleep(Math.min(lastLookMs, leftMs));
  }
}
