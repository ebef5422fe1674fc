import type { Asides } from '../../base/asides.ts';
import type { Log } from '../../base/log.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { brakeOf, leastCalls } from '../../rules/order.ts';

type BrakeDeps = { ledger: Ledger; baseUrl: string; log: Log; asides: Asides };

/** The brake station: pauses campaigns whose first people were called, or of whose calls too many fail. */
export function createBrake({ ledger, baseUrl, log, asides }: BrakeDeps) {
  const all = () => ledger.campaigns.ids(baseUrl);
  return async (): Promise<void> => {
    const paused = await asides.parts('brake', all, (only) =>
      ledger.campaigns.brake(baseUrl, leastCalls, only),
    );
    for (const { name, reason } of paused.flat()) {
      if (brakeOf(reason) === 'first') log.info({ campaign: name }, 'the first people were called: paused');
      else log.warn({ campaign: name, reason }, 'too many calls failed: paused');
    }
  };
}
