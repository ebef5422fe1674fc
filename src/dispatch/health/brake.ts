import type { Log } from '../../base/log.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { brakeOf, leastCalls } from '../../rules/brake.ts';

/** The brake station: pauses campaigns whose first people were called, or of whose calls too many fail. */
export function createBrake(deps: { ledger: Ledger; baseUrl: string; log: Log }) {
  return async (): Promise<void> => {
    for (const { name, reason } of await deps.ledger.campaigns.brake(deps.baseUrl, leastCalls)) {
      if (brakeOf(reason) === 'first')
        deps.log.info({ campaign: name }, 'the first people were called: paused');
      else deps.log.warn({ campaign: name, reason }, 'too many calls failed: paused');
    }
  };
}
