import { z } from 'zod';
import { CarillonError } from '../../base/errors.ts';
import { readNoted } from '../../dispatch/disk/journal-file.ts';
import { lossText, unconfirmed, wasRestored } from '../../dispatch/trust/last-seen.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { LossCause } from '../../ledger/lost-history/lost-history.ts';
import { readInstant, readSince, readUntil } from '../../rules/time/instant.ts';
import { read, text } from '../requests/input.ts';

/** Whether the ledger's history is whole, or a person must confirm it. */
export const ledgerShape = z
  .object({
    state: z.enum(['sound', 'lost']),
    why: z.string().nullable().describe('Why its history is not whole; null while it is.'),
    since: z.date().nullable().describe('When that was found.'),
    known_until: z.date().nullable().describe('The time up to which its history is complete.'),
  })
  .meta({ id: 'Ledger' });
export type ShownLedger = z.output<typeof ledgerShape>;

export async function showLedger({ lostHistory }: Pick<Ledger, 'lostHistory'>): Promise<ShownLedger> {
  const { why, lostAt, knownUntil } = await lostHistory.look();
  if (lostAt === null) return { state: 'sound', why: null, since: null, known_until: null };
  return { state: 'lost', why: lossText(why), since: lostAt, known_until: knownUntil };
}

/**
 * Called by acts that dial: nothing begins on a ledger that waits for a person. The ledger refuses it too. `home` is
 * for a command that leaves nothing in the ledger, so that nobody may have told the ledger yet that it was restored.
 */
export async function requireSound(
  { lostHistory }: Pick<Ledger, 'lostHistory'>,
  home?: string,
): Promise<void> {
  const found = await lostHistory.look();
  if (found.lostAt !== null) throw unconfirmed(found);
  if (home !== undefined && wasRestored(home)) throw unconfirmed({ ...found, why: 'restored' });
}

/**
 * A person confirms a ledger that lost history: anyone who may have been called in the lost part becomes unknown, and
 * people may be called again. Campaigns stay paused until somebody resumes them.
 */
export const confirmInput = z.strictObject({
  lost_since: text(40)
    .optional()
    .describe(
      'History is missing since this time, a date, or a span ago such as `2h`. People whom unfinished campaigns would still call become unknown, as they may have been called since then.',
    ),
});

export const confirmedAnswer = z
  .object({
    confirmed: z.boolean().describe('False when nothing was lost, and nothing was changed.'),
    why: z.string().nullable(),
    known_until: z.date().nullable().describe('The time up to which the ledger’s history is complete.'),
    noted: z.int().describe('Creates that are noted on the disk of the machine that answers.'),
    missing: z.int().describe('How many of these were to people who are not in the ledger.'),
    held: z
      .int()
      .describe(
        'How many of these have a known phone: a person imported with that phone becomes unknown instead of being called.',
      ),
    marked: z.int().describe('People who became unknown, or will when the call that they are on has ended.'),
    campaigns: z.array(z.object({ id: z.string(), name: z.string(), marked: z.int() })),
  })
  .meta({ id: 'ConfirmedLedger' });
export type ConfirmedLedger = z.output<typeof confirmedAnswer>;

type ConfirmDeps = {
  ledger: Pick<Ledger, 'lostHistory' | 'activity'>;
  /** CARILLON_HOME of this machine, where creates are noted. */
  home: string;
  /** How long an unknown attempt keeps its phone. */
  deadlineMs: number;
  now(): number;
};

export async function confirmLedger(deps: ConfirmDeps, body: unknown): Promise<ConfirmedLedger> {
  const since = lostSince(read(confirmInput, body), deps.now());
  const { lostHistory } = deps.ledger;
  // A person may know of a loss that no process has seen: it is declared here, so that everything rests before anyone
  // is marked.
  if (since !== null) await lostHistory.attest(null, [], { vouches: false, beats: false, claim: 'restored' });
  const { why, lostAt, knownUntil } = await lostHistory.look();
  if (lostAt === null) return nothingLost;
  const marked = new Map<string, { id: string; name: string; marked: number }>();
  const mark = (id: string, name: string, people: number) => {
    if (people > 0) marked.set(id, { id, name, marked: people + (marked.get(id)?.marked ?? 0) });
  };
  const notes = await readNoted(deps.home);
  let [missing, held] = [0, 0];
  for (const lost of await lostHistory.loseNoted(notes, deps.deadlineMs)) {
    if (lost.id !== null) mark(lost.id, lost.name ?? '', lost.marked);
    else [missing, held] = [missing + lost.marked, held + (lost.held ?? 0)];
  }
  for (const { id, name } of since === null ? [] : await lostHistory.since(since))
    mark(id, name, await lostHistory.loseWaiting(id, deps.deadlineMs));
  return finish(deps, { why, knownUntil, noted: notes.length, missing, held, since }, [...marked.values()]);
}

type Found = {
  why: LossCause | null;
  knownUntil: Date | null;
  noted: number;
  missing: number;
  held: number;
  since: Date | null;
};

/** People may be called only now that everyone is marked. */
async function finish(
  { ledger }: ConfirmDeps,
  { why, knownUntil, since, ...counts }: Found,
  campaigns: ConfirmedLedger['campaigns'],
): Promise<ConfirmedLedger> {
  const marked = campaigns.reduce((sum, each) => sum + each.marked, 0);
  const confirmed = (await ledger.lostHistory.confirm()) !== null;
  const after = { lost_since: since, ...counts, marked };
  if (confirmed) await ledger.activity.record({ verb: 'ledger.confirm', before: { why }, after });
  return { confirmed, why: lossText(why), known_until: knownUntil, ...counts, marked, campaigns };
}

const nothingLost: ConfirmedLedger = {
  confirmed: false,
  why: null,
  known_until: null,
  noted: 0,
  missing: 0,
  held: 0,
  marked: 0,
  campaigns: [],
};

export function lostSince({ lost_since: given }: z.output<typeof confirmInput>, now: number): Date | null {
  if (given === undefined) return null;
  const at = readSince(given, now) ?? readInstant(given, 'UTC');
  if (at !== null && at <= now) return new Date(at);
  const isLater = at !== null || readUntil(given, now) !== null;
  const why = isLater ? 'is in the future' : 'is neither a time nor a span';
  throw new CarillonError('request-invalid', `The time since which calls are missing, "${given}", ${why}`, {
    remedy:
      'Nothing was changed. Give a time such as 2026-11-22T18:00:00Z, a date, or a span such as 2h for so long ago.',
  });
}

/** The people whom confirming lost history would make unknown. Nothing is changed. */
export const toConfirmQuery = confirmInput;

export const toConfirmAnswer = ledgerShape
  .extend({
    noted: z
      .int()
      .describe('Creates that are noted on the disk of the machine that answers; their people are marked.'),
    people: z.int().describe('People who become unknown because of `lost_since`; 0 without it.'),
    campaigns: z.array(z.object({ id: z.string(), name: z.string(), people: z.int() })),
  })
  .meta({ id: 'LedgerToConfirm' });
export type LedgerToConfirm = z.output<typeof toConfirmAnswer>;

type Deps = Pick<ConfirmDeps, 'home' | 'now'> & { ledger: Pick<Ledger, 'lostHistory'> };

export async function showToConfirm({ ledger, home, now }: Deps, query: unknown): Promise<LedgerToConfirm> {
  const since = lostSince(read(toConfirmQuery, query), now());
  const campaigns = since === null ? [] : await ledger.lostHistory.toLose(since);
  const some = campaigns.filter(({ people }) => people > 0);
  return {
    ...(await showLedger(ledger)),
    noted: (await readNoted(home)).length,
    people: some.reduce((sum, { people }) => sum + people, 0),
    campaigns: some,
  };
}
