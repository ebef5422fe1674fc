import type { Clock } from '../base/clock.ts';
import type { KeptExchange } from '../ledger/exchanges/exchanges.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { SeenExchange } from '../voice/client.ts';
import { cleanText } from '../voice/values.ts';

/**
 * Keeps what was sent for each attempt and what came back, for a while. It is for people who look for a fault, so it
 * must cost the calls nothing: it is written in batches after them, and a full batch leaves some out.
 */
export type Trace = {
  /** Hands an attempt's exchanges to the client. */
  of(attempt: string): (seen: SeenExchange) => void;
  /** Writes what has gathered. */
  flush(): Promise<void>;
};

const mostAtOnce = 200;

export function createTrace({ ledger, clock }: { ledger: Pick<Ledger, 'exchanges'>; clock: Clock }): Trace {
  let gathered: KeptExchange[] = [];
  return {
    of: (attempt) => (told) => {
      if (gathered.length >= mostAtOnce) return;
      const at = new Date(clock.now() - told.ms).toISOString();
      gathered.push({ attempt, at, told: clean(told) });
    },
    async flush() {
      const taken = gathered;
      gathered = [];
      // A second try is not worth its cost.
      await ledger.exchanges.keep(taken).catch(() => undefined);
    },
  };
}

/** Text that Postgres takes as JSON. */
function clean(seen: SeenExchange): SeenExchange {
  const storable = (text: string | null) => (text === null ? null : cleanText(text));
  return { ...seen, body: storable(seen.body), answer: storable(seen.answer), why: storable(seen.why) };
}
