import { CarillonError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { BulkPerson, BulkPiece } from '../../ledger/bulk/bulk.ts';
import type { Transaction } from '../../ledger/database.ts';
import { isLedgerAway } from '../../ledger/database.ts';
import type { NewSuppression } from '../../ledger/suppressions/suppressions.ts';
import { read } from '../requests/input.ts';
import type { ServiceAccess } from '../service/access.ts';
import { resolveEach } from '../unknowns/resolve.ts';
import { ableOf, type BulkOptions, bulkOptions } from './begin.ts';
import { type ShownBulk, showBulk } from './show.ts';

/** Does bulk acts, a piece at a time. Any number of processes may; each piece is done by one of them. */
export type BulkDoer = {
  /** Does one piece of an act; false when another process is doing it, or the act is over. */
  step(id: string): Promise<boolean>;
  /** Works on an act until it is over, or the signal fires. Other processes may do pieces of it meanwhile. */
  finish(id: string, signal?: AbortSignal, tell?: (shown: ShownBulk) => void): Promise<ShownBulk>;
};

/** How often to look at what another process is doing. */
const lookMs = 300;

export function createBulkDoer(service: ServiceAccess, { log }: { log: Log }): BulkDoer {
  const { ledger } = service;

  const step = async (id: string): Promise<boolean> => {
    try {
      return await ledger.db.transaction(async (tx) => {
        const piece = await ledger.bulk.take(tx, id);
        if (!piece) return false;
        await tx.steadily(async () => {
          await ledger.bulk.advance(tx, id, await doPiece(service, tx, piece));
        });
        return true;
      });
    } catch (error) {
      if (isLedgerAway(error)) throw error;
      const known = error instanceof CarillonError ? error : new CarillonError('unexpected');
      if (known !== error) log.warn({ bulk: id, err: (error as Error).message }, 'an act on many failed');
      await ledger.bulk.end(id, 'failed', known.code, known.message);
      return false;
    }
  };

  return {
    step,

    async finish(id, signal, tell) {
      for (;;) {
        const shown = await showBulk(ledger, id);
        if (shown.state !== 'running') return shown;
        tell?.(shown);
        if (signal?.aborted) return shown;
        if (!(await step(id))) await service.clock.sleep(lookMs, signal);
      }
    },
  };
}

type PieceSums = { seen: number; done: number; passed: Record<string, number> };

type Work = {
  service: ServiceAccess;
  tx: Transaction;
  options: BulkOptions;
  pass(reason: string, people?: number): void;
};

/** Applies the rules for a single person to each, and counts why others were passed over. */
async function doPiece(service: ServiceAccess, tx: Transaction, piece: BulkPiece): Promise<PieceSums> {
  const { bulk } = service.ledger;
  const passed: Record<string, number> = {};
  const pass = (reason: string, people = 1) => {
    if (people > 0) passed[reason] = (passed[reason] ?? 0) + people;
  };
  // People who no longer fit the filter are not meant any more.
  const meant = await bulk.matching(tx, piece.people, piece.filter);
  pass('changed', piece.people.length - meant.length);
  const people = await bulk.look(meant, tx);
  pass('changed', meant.length - people.length);
  const work: Work = { service, tx, options: read(bulkOptions, piece.options), pass };
  const done = await acts[piece.act](work, ableOf(piece.act, work.options, people, pass));
  return { seen: piece.people.length, done, passed };
}

/** Each act gets only eligible people, and returns how many it was done to. */
const acts: Record<BulkPiece['act'], (work: Work, people: BulkPerson[]) => Promise<number>> = {
  retry,
  skip,
  suppress,
  resolve,
  // An export is done when it begins.
  export: async () => 0,
};

async function retry({ service, tx, options, pass }: Work, people: BulkPerson[]): Promise<number> {
  const freed = await service.ledger.bulk.retry(tx, idsOf(people), options.now);
  // They moved, or were suppressed, just now.
  pass('changed', people.length - freed.length);
  return freed.length;
}

async function skip({ service, tx, pass }: Work, people: BulkPerson[]): Promise<number> {
  let done = 0;
  for (const { refusal } of await service.ledger.bulk.skip(tx, idsOf(people))) {
    if (refusal === null) done++;
    // A dialer opened the attempt just now.
    else pass(refusal === 'live' ? 'too_late' : refusal);
  }
  return done;
}

async function suppress({ service, tx, options }: Work, people: BulkPerson[]): Promise<number> {
  const { until, reason, source, hangUp } = options;
  if (people.length === 0) return 0;
  const phones = await service.ledger.suppressions.allNumbers(
    people.map(({ phone }) => phone),
    tx,
  );
  const end = until === null ? null : new Date(until);
  const entries = phones.map((phone): NewSuppression => ({ phone, source, reason, until: end }));
  await service.ledger.suppressions.add(entries, null, hangUp, tx);
  return people.length;
}

async function resolve({ service, tx, options, pass }: Work, people: BulkPerson[]): Promise<number> {
  const attempts = people.map(({ attempt }) => attempt!);
  if (options.as === 'not-called') {
    const freed = await service.ledger.unknowns.freeAll(attempts, options.reason, false, tx);
    // The attempt was settled just now.
    pass('changed', people.length - freed.length);
    return freed.length;
  }
  // Each attempt is asked about and settled by itself: after a crash, the next process finds part of them settled.
  const finding = { as: 'called', reason: options.reason ?? undefined } as const;
  const named = attempts.map((attempt) => ({ attempt }));
  const { resolved, failed } = await resolveEach(service, named, finding);
  pass('failed', failed.length);
  return resolved.length;
}

function idsOf(people: readonly BulkPerson[]): number[] {
  return people.map(({ id }) => id);
}
