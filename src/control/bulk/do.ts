import { CarillonError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { BulkPerson, BulkPiece } from '../../ledger/bulk/bulk.ts';
import type { Transaction } from '../../ledger/database.ts';
import { isLedgerAway } from '../../ledger/database.ts';
import type { NewSuppression } from '../../ledger/suppressions/suppressions.ts';
import { read } from '../requests/input.ts';
import type { Service } from '../service/access.ts';
import { createResolver } from '../unknowns/resolve.ts';
import { type BulkOptions, bulkOptions } from './ask.ts';
import { ableOf } from './judge.ts';
import { type ShownBulk, showBulk } from './show.ts';

/** Does acts on many that are under way, in pieces. Any number of processes may: each piece is done by one. */
export type BulkDoer = {
  /** One piece of an act; false when another process has it in hand, or it is over. */
  step(id: string): Promise<boolean>;
  /** Works on an act until it is over, or the signal fires. Other processes may do pieces of it meanwhile. */
  finish(id: string, signal?: AbortSignal, tell?: (shown: ShownBulk) => void): Promise<ShownBulk>;
};

/** Between two looks at what another process does. */
const lookMs = 300;

export function createBulkDoer(service: Service, { log }: { log: Log }): BulkDoer {
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
  service: Service;
  tx: Transaction;
  options: BulkOptions;
  /** Counts people who are passed over. */
  pass(reason: string, people?: number): void;
};

/** By the rules that hold for a single person; counts why others were passed over. */
async function doPiece(service: Service, tx: Transaction, piece: BulkPiece): Promise<PieceSums> {
  const { bulk } = service.ledger;
  const passed: Record<string, number> = {};
  const pass = (reason: string, people = 1) => {
    if (people > 0) passed[reason] = (passed[reason] ?? 0) + people;
  };
  // People who do not fit the filter any more are not meant any more.
  const meant = await bulk.matching(tx, piece.people, piece.filter);
  pass('changed', piece.people.length - meant.length);
  const people = await bulk.look(meant, tx);
  pass('changed', meant.length - people.length);
  const work: Work = { service, tx, options: read(bulkOptions, piece.options), pass };
  const done = await acts[piece.act](work, ableOf(piece.act, work.options, people, pass));
  return { seen: piece.people.length, done, passed };
}

/** Of people to whom it can be done; each answers of how many it was done. */
const acts: Record<BulkPiece['act'], (work: Work, people: BulkPerson[]) => Promise<number>> = {
  retry,
  skip,
  suppress,
  resolve,
  // It is done when it begins.
  export: async () => 0,
};

async function retry({ service, tx, options, pass }: Work, people: BulkPerson[]): Promise<number> {
  const freed = await service.ledger.bulk.retry(tx, idsOf(people), options.now);
  // They moved, or were suppressed, at this moment.
  pass('changed', people.length - freed.length);
  return freed.length;
}

async function skip({ service, tx, pass }: Work, people: BulkPerson[]): Promise<number> {
  let done = 0;
  for (const { refusal } of await service.ledger.bulk.skip(tx, idsOf(people))) {
    if (refusal === null) done++;
    // A dialer opened the attempt at this moment.
    else pass(refusal === 'live' ? 'too_late' : refusal);
  }
  return done;
}

async function suppress({ service, tx, options }: Work, people: BulkPerson[]): Promise<number> {
  const { until, reason, source, hangUp } = options;
  const phones = [...new Set(people.map(({ phone }) => phone))].sort();
  if (phones.length === 0) return 0;
  const end = until === null ? null : new Date(until);
  const entries = phones.map((phone): NewSuppression => ({ phone, source, reason, until: end }));
  await service.ledger.suppressions.add(entries, null, hangUp, tx);
  return people.length;
}

async function resolve({ service, tx, options, pass }: Work, people: BulkPerson[]): Promise<number> {
  const attempts = people.map(({ attempt }) => attempt!);
  if (options.as === 'not-called') {
    const freed = await service.ledger.unknowns.freeAll(attempts, options.reason, false, tx);
    // The attempt was settled at this moment.
    pass('changed', people.length - freed.length);
    return freed.length;
  }
  // The service is asked, and each attempt is settled by itself: the next process finds a crash's part settled.
  const found = { as: 'called' as const, ...(options.reason === null ? {} : { reason: options.reason }) };
  const findings = attempts.map((attempt) => ({ attempt, ...found }));
  const { resolved, failed } = await createResolver(service).many(findings);
  pass('failed', failed.length);
  return resolved.length;
}

function idsOf(people: readonly BulkPerson[]): number[] {
  return people.map(({ id }) => id);
}
