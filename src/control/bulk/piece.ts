import type { BulkPerson, BulkPiece } from '../../ledger/bulk/verbs.ts';
import type { Transaction } from '../../ledger/database.ts';
import { isErased } from '../../ledger/erasures/verbs.ts';
import type { NewSuppression } from '../../ledger/suppressions/verbs.ts';
import { read } from '../input.ts';
import type { Service } from '../service.ts';
import { createResolver } from '../unknowns/resolve.ts';
import { tookCall } from '../unknowns/show.ts';
import { type BulkOptions, bulkOptions } from './ask.ts';

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
  const people = await bulk.look(tx, meant);
  pass('changed', meant.length - people.length);
  const work: Work = { service, tx, options: read(bulkOptions, piece.options), pass };
  const done = await acts[piece.act](work, people);
  return { seen: piece.people.length, done, passed };
}

/** Each answers of how many the act was done. */
const acts: Record<BulkPiece['act'], (work: Work, people: BulkPerson[]) => Promise<number>> = {
  retry,
  skip,
  suppress,
  resolve,
  // It is done when it begins.
  export: async () => 0,
};

async function retry({ service, tx, pass }: Work, people: BulkPerson[]): Promise<number> {
  const { bulk } = service.ledger;
  const able = people.filter((person) => {
    const why = notOfList(person, service.baseUrl) ?? notDone(person);
    if (why !== null) pass(why);
    return why === null;
  });
  const freed = await bulk.retry(tx, idsOf(able));
  pass('suppressed', able.length - freed.length);
  return freed.length;
}

/** Only those who are done are tried again: nobody may be called who is being called, or whose call is unknown. */
function notDone(person: BulkPerson): string | null {
  if (person.state !== 'done') return person.state;
  if (person.outcome === null) return 'no_outcome';
  return person.reason === 'removed' ? 'removed' : null;
}

async function skip({ service, tx, pass }: Work, people: BulkPerson[]): Promise<number> {
  const waiting = people.filter((person) => {
    const isWaiting = ['waiting', 'queued', 'parked'].includes(person.state);
    const why = person.kind === 'calls' ? 'single_call' : isWaiting ? null : person.state;
    if (why !== null) pass(why === 'calling' ? 'too_late' : why);
    return why === null;
  });
  let done = 0;
  for (const { refusal } of await service.ledger.bulk.skip(tx, idsOf(waiting))) {
    if (refusal === null) done++;
    // A dialer opened the attempt at this moment.
    else pass(refusal === 'live' ? 'too_late' : refusal);
  }
  return done;
}

async function suppress({ service, tx, options, pass }: Work, people: BulkPerson[]): Promise<number> {
  const { until, reason, source, hangUp } = options;
  const able = people.filter(({ phone }) => !isErased(phone));
  pass('erased', people.length - able.length);
  const phones = [...new Set(able.map(({ phone }) => phone))].sort();
  if (phones.length === 0) return 0;
  const end = until === null ? null : new Date(until);
  const entries = phones.map((phone): NewSuppression => ({ phone, source, reason, until: end }));
  await service.ledger.bulk.suppress(tx, entries, hangUp);
  return able.length;
}

async function resolve({ service, tx, options, pass }: Work, people: BulkPerson[]): Promise<number> {
  const unknown = people.filter((person) => {
    if (person.state === 'unknown') return true;
    pass(person.state);
    return false;
  });
  const attemptsOf = (some: BulkPerson[]) => some.map(({ attempt }) => attempt!);
  if (options.as === 'not-called') {
    // The service took these calls, so they were made.
    const able = unknown.filter(({ callId, unknownAs }) => !tookCall({ callId, reason: unknownAs! }));
    pass('called', unknown.length - able.length);
    const freed = await service.ledger.bulk.free(tx, attemptsOf(able), options.reason);
    // A request may still be on its way, or the attempt was settled at this moment.
    pass('too_early', able.length - freed.length);
    return freed.length;
  }
  // The service is asked, and each attempt is settled by itself: what a crash leaves is found settled by the next process.
  const found = { as: 'called' as const, ...(options.reason === null ? {} : { reason: options.reason }) };
  const findings = attemptsOf(unknown).map((attempt) => ({ attempt, ...found }));
  const { resolved, failed } = await createResolver(service).many(findings);
  pass('failed', failed.length);
  return resolved.length;
}

/** Why nobody may be freed on this campaign. */
function notOfList({ kind, campaignState, baseUrl }: BulkPerson, own: string): string | null {
  if (kind === 'calls') return 'single_call';
  if (campaignState === 'canceled') return 'canceled';
  return baseUrl === own ? null : 'elsewhere';
}

function idsOf(people: readonly BulkPerson[]): number[] {
  return people.map(({ id }) => id);
}
