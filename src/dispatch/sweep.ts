import type { Asides } from '../base/asides.ts';
import { maskPhone } from '../base/log.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { writtenDigits } from '../rules/phone/readings.ts';
import { renewPeople } from './renew.ts';

type SweepDeps = {
  ledger: Ledger;
  asides: Asides;
  baseUrl: string;
  eventDays: number;
  /** How long data about people is kept; null is as the ledger says. */
  keepDays: number | null;
};

/** How long requests and their answers are kept. */
const exchangeDays = 7;

/**
 * The sweep station: frees people for whom an order allows more attempts or whom older contact rules hold, skips some
 * rows of canceled campaigns, removes old events and old points of series, completes delayed erasures, and erases what
 * is too old. Returns whether there may be more of these.
 */
export function createSweep({ ledger, asides, baseUrl, eventDays, keepDays }: SweepDeps) {
  const part = (id: string, work: () => Promise<boolean>) => asides.guard('sweeper', id, work);
  const { campaigns, policies, events, exchanges, series } = ledger;
  return async (): Promise<boolean> => {
    for (const id of await campaigns.toRenew(baseUrl)) await part(id, () => renewPeople(ledger, id));
    const more: (boolean | undefined)[] = [];
    const parts: Record<string, () => Promise<boolean>> = {
      campaigns: () => campaigns.sweep(baseUrl, part),
      'held people': policies.freeHeld,
      'old calls of phones': policies.prune,
      'old events': () => events.tidy(eventDays * 86_400),
      'old series': series.forget,
      'old exchanges': () => exchanges.forget(exchangeDays * 86_400),
      erasures: () => eraseDue(ledger, keepDays, part),
    };
    for (const [name, work] of Object.entries(parts)) more.push(await part(name, work));
    return more.includes(true);
  };
}

/** Completes erasures that waited for a call or an import to end. Returns whether more may be too old. */
async function eraseDue(
  { erasures }: Pick<Ledger, 'erasures'>,
  keepDays: number | null,
  part: (id: string, work: () => Promise<boolean>) => Promise<unknown>,
): Promise<boolean> {
  await erasures.look();
  // Nothing can be read with another secret; `doctor` reports that.
  if (erasures.trouble() === null) {
    for (const phone of await erasures.open())
      await part(maskPhone(phone), () => finishErasure(erasures, phone));
  }
  const days = keepDays ?? (await erasures.keptDays());
  return days !== null && (await erasures.old(days));
}

/** True when nothing is left of the person. */
export function finishErasure(erasures: Ledger['erasures'], phone: string): Promise<boolean> {
  return erasures.finish(phone, writtenDigits(phone));
}
