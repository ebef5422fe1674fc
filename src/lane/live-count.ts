import type { Clock } from '../base/clock.ts';
import type { MaxCalls } from '../base/config/keys.ts';
import { withDeadline } from '../base/deadline.ts';
import { inboundNow } from '../rules/limit/inbound.ts';
import type { VoiceClient } from '../voice/client.ts';
import type { Governor } from './governor.ts';
import type { SendGate } from './send-gate.ts';

/** Asks the service how many calls it counts, on a key that keeps some free for those that come in. */
export type LiveCounter = {
  /**
   * Call it while calls are made: it asks if nobody did lately, and waits a moment for the answer. False while the first
   * answer is still to come.
   */
  look(): Promise<boolean>;
};

type Deps = {
  client: VoiceClient;
  sendGate: SendGate;
  governor: Governor;
  calls: MaxCalls | null | undefined;
  /** The calls in progress that were made with the key, or with the keys of its account. */
  made(): Promise<number>;
  onFailed: ((why: string) => void) | undefined;
  clock: Clock;
};

const everyMs = 5_000;
/** How long to wait after the count could not be read. */
const againMs = 30_000;
/** What is to be planned does not wait longer for the answer. */
const patienceMs = 1_000;
/** Nor are calls held up longer for the first one. */
const firstMs = 10_000;

export function createLiveCounter(deps: Deps): LiveCounter {
  const { client, sendGate, governor, calls, clock } = deps;
  let reading: Promise<void> | null = null;
  let restsUntil = Number.NEGATIVE_INFINITY;
  let askedAt = Number.NEGATIVE_INFINITY;
  const rest = (ms: number) => {
    restsUntil = clock.monotonic() + ms;
  };

  async function readCount(): Promise<void> {
    const passage = await sendGate.enter('poll');
    if (!passage.ok) return rest(passage.restMs);
    // Read before: calls that begin meanwhile count as having come in, which makes fewer calls, and not more.
    const made = await deps.made();
    const answer = await client.liveCalls({ onSent: passage.onSent });
    if (answer.ok) {
      governor.clean(false, answer.ms);
      return governor.hearInbound(Math.max(0, answer.value - made));
    }
    const { fault } = answer;
    if (fault.kind === 'busy') return rest(await governor.busy(fault.retryAfterMs, answer.ms));
    rest(againMs);
    deps.onFailed?.(fault.message);
  }

  return {
    async look() {
      if (!calls || calls.inbound === 0 || !client.can.liveCalls) return true;
      const told = governor.inbound();
      const isFresh = told !== undefined && clock.now() - told.at < everyMs;
      if (isFresh || clock.monotonic() < restsUntil) return true;
      if (reading === null) askedAt = clock.monotonic();
      reading ??= readCount()
        // The ledger or the engine is away: what was told before counts on.
        .catch(() => rest(everyMs))
        .finally(() => {
          reading = null;
        });
      await withDeadline(reading, patienceMs, () => undefined);
      const isLate = reading !== null && clock.monotonic() - askedAt < firstMs;
      return !isLate || inboundNow(governor.inbound(), clock.now()) !== null;
    },
  };
}
