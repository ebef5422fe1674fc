import type { Ledger } from '../ledger/ledger.ts';
import { writtenDigits } from '../rules/phone/digits.ts';
import { renewPeople } from './renew.ts';

export type SweepDeps = {
  ledger: Ledger;
  baseUrl: string;
  /** How long events are kept. */
  eventDays: number;
  /** How long what is known of people is kept; null is for ever. */
  keepDays: number | null;
};

/** How long what was sent and answered is kept. */
const exchangeDays = 7;

/**
 * The sweep station: frees people for whom an order allows more attempts or whom older contact rules hold, skips some
 * rows of canceled campaigns, removes old events and old points of series, ends erasures that waited, and erases what is
 * too old. Returns whether there may be more of these.
 */
export function createSweep({ ledger, baseUrl, eventDays, keepDays }: SweepDeps) {
  const { campaigns, policies, events, exchanges, series } = ledger;
  return async (): Promise<boolean> => {
    for (const id of await campaigns.toRenew(baseUrl)) await renewPeople(ledger, id);
    const more = [
      await campaigns.sweep(baseUrl),
      await policies.freeHeld(),
      await policies.prune(),
      await events.tidy(eventDays * 86_400),
      await series.forget(),
      await exchanges.forget(exchangeDays * 86_400),
      await eraseDue(ledger, keepDays),
    ];
    return more.includes(true);
  };
}

/** Erasures waited for a call to end, or for an import that began before. Returns whether more may be too old. */
async function eraseDue({ erasures }: Pick<Ledger, 'erasures'>, keepDays: number | null): Promise<boolean> {
  await erasures.look();
  // Under another secret nothing can be read: `doctor` tells.
  if (erasures.trouble() === null) {
    for (const phone of await erasures.open()) await finishErasure(erasures, phone);
  }
  return keepDays !== null && (await erasures.old(keepDays));
}

/** True when nothing is left of the person. */
export function finishErasure(erasures: Ledger['erasures'], phone: string): Promise<boolean> {
  return erasures.finish(phone, writtenDigits(phone));
}
