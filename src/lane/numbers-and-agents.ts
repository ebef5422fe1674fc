import type { Clock } from '../base/clock.ts';
import type { ListPage, Turn } from '../voice/call.ts';
import type { Answer, VoiceClient } from '../voice/client.ts';
import { pagesOf } from '../voice/lists.ts';
import type { Governor } from './governor.ts';
import type { SendGate } from './send-gate.ts';

/**
 * Reads a service's lists of numbers and agents when a call needs them: once for all who wait, within the key's budget.
 */
export type DirectoryLearner = {
  /** Milliseconds until it is worth asking again; 0 when nothing is missing, or nothing more can be learned. */
  learn(input: Parameters<VoiceClient['lacks']>[0]): Promise<number>;
};

type Deps = { client: VoiceClient; sendGate: SendGate; governor: Governor; clock: Clock };

/** How long to wait after a list could not be read. */
const againMs = 5_000;
/** How long to wait before a list is read again that could not be read to its end. */
const cutMs = 60_000;

export function createDirectoryLearner({ client, sendGate, governor, clock }: Deps): DirectoryLearner {
  let reading: Promise<number> | null = null;
  let restsUntil = Number.NEGATIVE_INFINITY;

  /** Returns how long to rest if it could not be read. */
  async function readAll(what: 'numbers' | 'agents'): Promise<number> {
    let restMs = 0;
    let onSent: () => void = () => undefined;
    const before = async () => {
      const passage = await sendGate.enter('poll');
      if (passage.ok) onSent = passage.onSent;
      else restMs = passage.restMs;
      return passage.ok;
    };
    const ask = (turn: Turn | null): Promise<Answer<ListPage<unknown>>> => client[what]({ turn }, { onSent });
    for await (const page of pagesOf(ask, before)) {
      if (!page.ok)
        return page.fault.kind === 'busy' ? governor.busy(page.fault.retryAfterMs, page.ms) : againMs;
      governor.clean(false, page.ms);
      if (page.value.cut !== undefined) return cutMs;
    }
    return restMs;
  }

  return {
    async learn(input) {
      const what = client.lacks(input);
      if (what === null) return 0;
      const left = restsUntil - clock.monotonic();
      if (left > 0) return left;
      reading ??= readAll(what).finally(() => {
        reading = null;
      });
      const restMs = await reading;
      if (restMs > 0) restsUntil = clock.monotonic() + restMs;
      // The other list may be missing too.
      return restMs > 0 ? restMs : client.lacks(input) === null ? 0 : 1;
    },
  };
}
