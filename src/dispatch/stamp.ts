import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { type OpenSpan, spanOf, within } from '../base/spans.ts';
import type { Lane } from '../lane/lane.ts';
import type { Attempt } from '../ledger/attempts/attempts.ts';
import type { Ledger } from '../ledger/ledger.ts';

/** Writes campaign and attempt into the call's own record, for owners whose profile asks for it. */
export type Stamp = (lane: Lane, attempt: Attempt, callId: string) => Promise<void>;

type StampDeps = {
  ledger: Ledger;
  /** The keys of the call's metadata for the two ids; null writes nothing. */
  stampKeys: { campaign?: string | undefined; attempt?: string | undefined } | null;
  clock: Clock;
  log: Log;
};

const tries = 5;

export function createStamp(deps: StampDeps): Stamp {
  const { ledger, clock, log, stampKeys } = deps;
  return async (lane, attempt, callId) => {
    if (!stampKeys) return;
    await within(spanOf(attempt.id, 'stamp call'), (span) => stamp(lane, attempt, callId, stampKeys, span));
  };

  async function stamp(
    lane: Lane,
    attempt: Attempt,
    callId: string,
    keys: NonNullable<StampDeps['stampKeys']>,
    span: OpenSpan,
  ): Promise<void> {
    const metadata: Record<string, string> = {};
    if (keys.campaign !== undefined) metadata[keys.campaign] = attempt.campaign;
    if (keys.attempt !== undefined) metadata[keys.attempt] = attempt.id;
    for (let i = 0; i < tries; i++) {
      const passage = await lane.sendGate.enter('poll');
      if (!passage.ok) {
        await clock.sleep(passage.restMs);
        continue;
      }
      const answer = await lane.client.update(callId, { metadata }, { onSent: passage.onSent, span });
      await ledger.attempts.countRequest(attempt.id);
      if (answer.ok) return;
      const { fault } = answer;
      if (fault.kind !== 'busy') {
        // The call itself is fine: only its stamp is missing.
        log.warn({ attempt: attempt.id, why: fault.message }, 'the call could not be stamped');
        return;
      }
      await clock.sleep(await lane.governor.busy(fault.retryAfterMs, answer.ms));
    }
    log.warn({ attempt: attempt.id }, 'the call could not be stamped: the lane had no token to spare');
  }
}
