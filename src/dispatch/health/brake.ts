import type { Asides } from '../../base/asides.ts';
import type { Log } from '../../base/log.ts';
import type { KeptNumber } from '../../ledger/caller-numbers/caller-numbers.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { lookAtNumbers, noRecent, onTrial, readWatch } from '../../rules/number-watch.ts';
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

/** Rests caller numbers that people stop answering, and returns them on trial. One process at a time looks. */
const restSeconds = 86_400;

export function createNumberWatch({ ledger, log }: { ledger: Ledger; log: Log }) {
  return async (): Promise<void> => {
    const rested = await ledger.together(async ({ callerNumbers }) => {
      const taken = await callerNumbers.take();
      if (taken.length === 0) return [];
      const watches = new Map(taken.map(({ name, watch }) => [name, readWatch(watch)]));
      const known = taken.map((tally) => ({ ...tally, recent: tally.recent ?? noRecent }));
      const { tallies, verdicts } = lookAtNumbers(known, (name) => watches.get(name)!);
      const numbers = new Map<string, KeptNumber>();
      for (const { name, fresh } of taken) {
        const verdict = verdicts.get(name);
        const { calls = 0, answered = 0 } = numbers.get(name) ?? {};
        numbers.set(name, {
          name,
          calls: calls + fresh.calls,
          answered: answered + fresh.answered,
          watch: verdict ? (verdict.why === null ? verdict.watch : onTrial(verdict.watch)) : null,
          rest: verdict?.why ?? null,
          sure: verdict?.why ? verdict.sure : null,
        });
      }
      const kept = [...numbers.values()];
      await callerNumbers.keep(
        tallies.map(({ campaign, name, recent }) => ({ campaign, name, recent })),
        kept,
        restSeconds,
      );
      return kept.filter(({ rest }) => rest !== null);
    });
    for (const { name, rest, sure } of rested)
      log.warn({ number: name, why: rest, sure }, 'a caller number rests');
    for (const name of await ledger.callerNumbers.returnDue())
      log.info({ number: name }, 'a caller number returns from its rest');
  };
}
