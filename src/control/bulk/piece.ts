import type { BulkPerson, BulkPiece } from '../../ledger/bulk/verbs.ts';
import type { Transaction } from '../../ledger/database.ts';
import type { NewSuppression } from '../../ledger/suppressions/verbs.ts';
import { read } from '../input.ts';
import type { Service } from '../service.ts';
import { createResolver } from '../unknowns/resolve.ts';
import { type BulkOptions, bulkOptions } from './ask.ts';
import { ableOf } from './judge.ts';

/** Does one piece of an act, by the rules that hold for a single person, and counts why others were passed over. */
export type PieceSums = { seen: number; done: number; passed: Record<string, number> };

type Work = {
  service: Service;
  tx: Transaction;
  options: BulkOptions;
  /** Counts people who are passed over. */
  pass(reason: string, people?: number): void;
};

export async function doPiece(service: Service, tx: Transaction, piece: BulkPiece): Promise<PieceSums> {
  const { bulk } = service.ledger;
  const passed: Record<string, number> = {};
  const pass = (reason: string, people = 1) => {
    if (people > 0) passed[reason] = (passed[reason] ?? 0) + people;
  };
  // Who does not fit the filter any more is not meant any more.
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
  // The service is asked, and each attempt is settled by itself: what a crash leaves is found settled by the next process.
  const found = { as: 'called' as const, ...(options.reason === null ? {} : { reason: options.reason }) };
  const findings = attempts.map((attempt) => ({ attempt, ...found }));
  const { resolved, failed } = await createResolver(service).many(findings);
  pass('failed', failed.length);
  return resolved.length;
}

function idsOf(people: readonly BulkPerson[]): number[] {
  return people.map(({ id }) => id);
}
