import { createHash } from 'node:crypto';
import type { z } from 'zod';
import type { AcceptedRow, RejectedRow, RowBatch } from '../../intake/recipients.ts';
import type { Campaign } from '../../ledger/campaigns/campaigns.ts';
import { isErased } from '../../ledger/erasures/erasures.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { ExpectedOnto, ExpectedPeople, ExpectedRow } from '../../ledger/people/expect.ts';
import type { ImportOptions, OnKnown } from '../../ledger/people/import.ts';
import type { Repaired } from '../../ledger/people/lines.ts';
import { type RecipientState, recipientStates } from '../../ledger/states.ts';
import { type Counts, rowsOf, sumsOf } from '../../ledger/tallies/tallies.ts';
import type { Order } from '../../rules/order.ts';
import { type balanceShape, showBalance } from '../campaigns/show.ts';
import { canonical } from '../requests/idempotency.ts';

/**
 * The balance that a campaign would have after an import, row by row as the import would decide, with nothing stored.
 */
export type Onto = {
  /** Null if the list would create one. */
  campaign: Campaign | null;
  /** The order that would be in force; null is the campaign's own. */
  order: Order | null;
  mode: ImportOptions['mode'];
  onKnown: OnKnown;
};

type Expected = {
  balance: z.output<typeof balanceShape>;
  /** Why people would be skipped, most frequent first. */
  skips: { reason: string; rows: number }[];
};

type ExpectedBatch = {
  known: number;
  /** People among these whom their row would change. */
  changed: number;
  suppressed: number;
  /** Rows that count as rejected. People already on a whole list are skipped instead. */
  rejected: RejectedRow[];
  /** People of the list who would be called. */
  called: AcceptedRow[];
};
type Expecting = {
  add(batch: RowBatch): Promise<ExpectedBatch>;
  /** Called after the last batch. */
  end(): Promise<Expected>;
};

/** The states whose people an import may still take off the list, and a run would call. */
const toCall: readonly RecipientState[] = ['waiting', 'queued', 'parked'];
const gone = 'not in the file any more';
const barred = 'suppressed';
/** The reason for erased people is not kept. */
const erased = 'erased';

/** Every phone is new if there is no ledger. */
export function expecting<T>(
  ledger: Ledger | null,
  onto: Onto,
  work: (counts: Expecting) => Promise<T>,
): Promise<T> {
  if (!ledger) return countOnto(null, null, onto).then(work);
  return ledger.people.expect(orderOn(onto), async (people) => work(await countOnto(ledger, people, onto)));
}

function orderOn({ campaign, order }: Onto): ExpectedOnto {
  const inPlace = order ?? campaign;
  const most = inPlace?.maxAttempts ?? 1;
  const changed = campaign !== null && order !== null;
  return {
    campaignId: campaign?.id ?? null,
    spends: changed && most < campaign.maxAttempts,
    renews: changed && (most > campaign.maxAttempts || campaign.renewing !== null),
    maxAttempts: most,
    retried: Object.keys(inPlace?.retry ?? {}),
  };
}

/** Rows by state, as they move. */
function createSums() {
  const counts = Object.fromEntries(recipientStates.map((state) => [state, 0])) as Counts;
  const outcomes = new Map<string, number>();
  const skips = new Map<string, number>();
  const bump = (sums: Map<string, number>, name: string, n: number) =>
    sums.set(name, (sums.get(name) ?? 0) + n);
  return {
    counts,
    outcomes: () => Object.fromEntries([...outcomes].filter(([, n]) => n > 0)),
    skips: () =>
      [...skips]
        .filter(([, rows]) => rows > 0)
        .map(([reason, rows]) => ({ reason, rows }))
        .sort((a, b) => b.rows - a.rows),
    add(state: RecipientState, { outcome, reason }: Pick<ExpectedRow, 'outcome' | 'reason'>, n = 1) {
      counts[state] += n;
      if (state === 'done' && outcome !== null) bump(outcomes, outcome, n);
      if (state === 'skipped') bump(skips, reason ?? erased, n);
    },
  };
}

type Met = ExpectedRow & { state: RecipientState };
type Sums = ReturnType<typeof createSums>;

/**
 * Decides what becomes of one row. `missing` counts, by state, people to whom no call was made and who are not in the
 * list so far.
 */
function createFates(sums: Sums, missing: Map<RecipientState, number>) {
  const onList = (met: ExpectedRow | undefined) => (met && met.state !== null ? (met as Met) : null);
  const meet = ({ uncalled, state }: Met) => {
    if (uncalled && toCall.includes(state)) missing.set(state, missing.get(state)! - 1);
  };
  const move = (from: Met | null, to: RecipientState, reason: string | null): RecipientState => {
    if (from) sums.add(from.state, from, -1);
    sums.add(to, { outcome: from?.outcome ?? null, reason });
    return to;
  };
  return {
    /** The state in which a row leaves its person. */
    accept(met: ExpectedRow | undefined, changes: boolean): RecipientState {
      const person = onList(met);
      if (person) meet(person);
      const comesBack = person?.comesBack || (person?.state === 'rejected' && changes);
      // The plan was made with the old data.
      if (person?.hasPlan && changes) return move(person, met?.isBarred ? 'skipped' : 'waiting', null);
      if (person && !comesBack) return person.state;
      return met?.isBarred ? move(person, 'skipped', barred) : move(person, 'waiting', null);
    },
    /** Whether the row counts as rejected: a person who is on the list is skipped there, or stays as they are. */
    reject({ reason }: RejectedRow, met: ExpectedRow | undefined): boolean {
      const person = onList(met);
      if (!person) return true;
      meet(person);
      if (toCall.includes(person.state)) move(person, person.outcome === null ? 'skipped' : 'done', reason);
      return false;
    },
  };
}

async function countOnto(
  ledger: Ledger | null,
  people: ExpectedPeople | null,
  { campaign, order, mode, onKnown }: Onto,
): Promise<Expecting> {
  const isWhole = mode === 'whole';
  const sums = createSums();
  const missing = new Map<RecipientState, number>();
  const standing = campaign && people ? await people.standing(campaign.id) : null;
  for (const { n, ...group } of standing ? await people!.groups() : []) {
    sums.add(group.state, group, n);
    if (group.uncalled && toCall.includes(group.state)) {
      missing.set(group.state, (missing.get(group.state) ?? 0) + n);
    }
  }
  // Rejects that others replace no longer count.
  const refused = mode !== 'more' ? 0 : (standing?.counts.rejected ?? 0) - sums.counts.rejected;
  sums.counts.rejected += refused;
  const rejects = await countRejects(ledger, refused === 0 ? null : campaign);
  const fates = createFates(sums, missing);

  return {
    async add({ accepted, rejected }) {
      const phones = [...accepted, ...rejected].flatMap(({ phone }) => (phone === undefined ? [] : [phone]));
      const rows = (await people?.rows(phones)) ?? [];
      const met = new Map(rows.map((row) => [phones[row.at - 1], row]));
      const isKnown = (phone: string) => met.get(phone)?.state != null;
      const mayChange = accepted.filter(({ phone }) => {
        const { state = null, wasCalled = true } = met.get(phone) ?? {};
        return state === 'rejected' || (state !== null && !wasCalled && onKnown !== 'keep');
      });
      const changes = new Set(mayChange.length > 0 ? await people!.changes(mayChange, onKnown) : []);
      const states = accepted.map(({ phone }) => fates.accept(met.get(phone), changes.has(phone)));
      // Adding to a list leaves the people on it as they are.
      const told = isWhole ? rejected.filter((row) => fates.reject(row, met.get(row.phone))) : rejected;
      sums.counts.rejected += rejects.add(accepted, told, isKnown);
      return {
        known: accepted.filter(({ phone }) => isKnown(phone)).length,
        changed: changes.size,
        suppressed: accepted.filter(({ phone }) => met.get(phone)?.isBarred).length,
        rejected: told,
        called: accepted.filter((_, i) => toCall.includes(states[i]!)),
      };
    },
    async end() {
      for (const [state, n] of isWhole ? missing : []) {
        sums.add(state, { outcome: null, reason: null }, -n);
        sums.add('skipped', { outcome: null, reason: gone }, n);
      }
      sums.counts.rejected += rejects.end();
      const { counts } = sums;
      // A run takes back who was queued, and plans them by its own order.
      if (order) [counts.waiting, counts.queued] = [counts.waiting + counts.queued, 0];
      const spent = standing ?? sumsOf({ tally: {}, live: {}, requests: 0, polls: 0 });
      const balance = showBalance({ ...spent, rows: rowsOf(counts), counts, outcomes: sums.outcomes() });
      return { balance, skips: sums.skips() };
    },
  };
}

type Alike = { before: number; sent: number; isTaken: boolean; repaired: number };
/** An earlier reject, by what a file of rejects says of it. */
type Told = { alike: Alike; isRepaired: boolean };

/**
 * How many more rejects a campaign would have, as people/import_rejects and people/import_repaired decide: a reject
 * that it already has stays one, and an input that is now accepted, or came back as something else, is no longer a
 * reject. `onto` is null if there were no rejects before, or they no longer count.
 */
async function countRejects(ledger: Ledger | null, onto: Campaign | null) {
  const alike = new Map<string, Alike>();
  const told = new Map<string, Told[]>();
  for await (const lines of ledger && onto ? ledger.reports.rejects(onto.id) : []) {
    for (const { input, row, reason, onList } of lines) {
      if (onList) continue;
      const key = keyOf(input);
      const found = alike.get(key) ?? { before: 0, sent: 0, isTaken: false, repaired: 0 };
      found.before++;
      alike.set(key, found);
      const as = keyOf({ line: row, reason });
      told.set(as, [...(told.get(as) ?? []), { alike: found, isRepaired: false }]);
    }
  }
  const find = (input: object) => (alike.size > 0 ? alike.get(keyOf(input)) : undefined);
  const repair = (repaired: Repaired | undefined) => {
    for (const each of repaired && told.size > 0 ? (told.get(keyOf(repaired)) ?? []) : []) {
      if (!each.isRepaired) each.alike.repaired++;
      each.isRepaired = true;
    }
  };
  return {
    /** Returns how many are certainly new. */
    add(
      accepted: readonly AcceptedRow[],
      rejected: readonly RejectedRow[],
      isKnown: (phone: string) => boolean,
    ) {
      for (const { input, repairs } of alike.size > 0 ? accepted : []) {
        const found = find(input);
        if (found) found.isTaken = true;
        repair(repairs);
      }
      let fresh = 0;
      for (const { phone, input, repairs } of rejected) {
        repair(repairs);
        // An erased person who is on the list has a row there.
        if (phone !== undefined && isErased(phone) && isKnown(phone)) continue;
        const found = find(input);
        if (found) found.sent++;
        else fresh++;
      }
      return fresh;
    },
    /** How many more, or fewer, there are in the end among those that equal an earlier reject. */
    end: () => [...alike.values()].reduce((sum, each) => sum + leftOf(each) - each.before, 0),
  };
}

/** How many of these equal rejects there are in the end. */
function leftOf({ before, sent, isTaken, repaired }: Alike): number {
  if (isTaken) return sent;
  return sent > 0 ? Math.max(before, sent) : before - repaired;
}

/** A list may have as many rejects as rows, so only a digest of each is kept. */
function keyOf(input: object): string {
  return createHash('sha256').update(canonical(input)).digest('base64url');
}
