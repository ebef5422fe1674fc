import { CarillonError } from '../../base/errors.ts';
import { activityOf } from '../activity/activity.ts';
import type { Database, Transaction } from '../database.ts';
import { isErased } from '../erasures/erasures.ts';
import { copy, createFollower, createKept } from './copy.ts';
import {
  type NewRecipient,
  neverLine,
  type PeopleBatch,
  personLine,
  rejectLine,
  repairLine,
  stageLine,
} from './lines.ts';

/**
 * People come in by COPY, in one transaction: all of the input or nothing. Those who are new to a list go straight into
 * it. A row of someone who is on it goes to a stage, and is merged when the whole input has been read, so that a call
 * never waits for a row that a long import holds.
 */
export const onKnowns = ['keep', 'merge', 'replace'] as const;
export type OnKnown = (typeof onKnowns)[number];
export type ImportOptions = {
  columns: string[];
  /**
   * 'whole': this input is the list, who is not in it any more is skipped. 'more': it is added to the list. 'repair': it is
   * added, and its rejects take the place of all others.
   */
  mode: 'whole' | 'more' | 'repair';
  /** The rule for people who are on the list and were not called yet. By default they become as the file of a run says. */
  onKnown?: OnKnown | undefined;
  /** Other work that belongs to the transaction: before the first row, and after the last. */
  work?: ImportWork | undefined;
};
export type Imported = {
  accepted: number;
  rejected: number;
  /** Of the accepted those who are new to the list, those who were on it, and of these the ones who changed. */
  new: number;
  known: number;
  changed: number;
  /** How many wait on a list that was empty before, known without counting a million. Null on any other. */
  waiting: number | null;
};
export type ImportWork = {
  begin(tx: Transaction): Promise<void>;
  end(tx: Transaction, counts: Imported): Promise<void>;
};

/** The state that an import finds, and how its rows go in. */
type Way = {
  campaignId: string;
  /** Nothing was ever imported into the list. */
  first: boolean;
  whole: boolean;
  /** Its rejects are written as they are: there are no others. */
  keepsRejects: boolean;
  /** There were rejects before. */
  hasRejects: boolean;
  /** The last row of a list that is added to: new rows stand behind it. */
  lastRow: number;
  /** Makes the tables for what is staged, when the first line needs them: a short list of new people needs none. */
  stage(): Promise<void>;
  /** Which of these phones are on the list. */
  known(phones: string[]): Promise<ReadonlySet<string>>;
};
type Counts = Pick<Imported, 'accepted' | 'rejected'> & {
  /** How many went to the stage, and how many straight into the list. */
  staged: number;
  added: number;
  /** Rejected rows of people who were erased, and stand on the list. */
  erased: number;
};

const nobody: ReadonlySet<string> = new Set();

export function createImport(db: Database) {
  return (
    campaignId: string,
    batches: AsyncIterable<PeopleBatch>,
    { columns, mode, onKnown = mode === 'more' ? 'keep' : 'replace', work }: ImportOptions,
  ): Promise<Imported> =>
    db.transaction(async (tx) => {
      await work?.begin(tx);
      await tx.query('people/import_alone', [campaignId]);
      const whole = mode === 'whole';
      const removed = mode === 'more' ? 0 : await removeRejects(tx, campaignId);
      const way = await findWay(db, tx, campaignId, mode);
      const source = batches[Symbol.asyncIterator]();
      // A file must be closed when the reading ends early, too.
      const counts = await copyAll(tx, source, way).finally(() => source.return?.());
      const { accepted } = counts;
      const imported: Imported = { ...noneOf(counts), accepted, rejected: counts.rejected };
      // Calls continue meanwhile, and their verbs want the same rows.
      await tx.steadily(async () => {
        Object.assign(imported, noneOf(counts), { rejected: counts.rejected });
        const barred = await finishAdded(tx, way, counts);
        if (way.first) imported.waiting = accepted - barred;
        let more = way.first ? counts.rejected : 0;
        if (counts.staged > 0) {
          const merged = await mergeStaged(tx, way, onKnown);
          imported.new += merged.added;
          imported.changed = merged.changed;
        }
        imported.known = accepted - imported.new;
        if (!way.first && whole) {
          imported.rejected -= await endWhole(tx, campaignId);
          more = imported.rejected;
        } else if (!way.first) more = await mergeRejects(tx, way, counts);
        await tx.query('people/import_refused', [campaignId, more - removed]);
        await work?.end(tx, imported);
        await record(tx, campaignId, imported);
        const [campaign] = await tx.query('people/import_columns', [campaignId, columns]);
        // It may have been canceled while the rows were read; then nobody would ever look at them.
        if (!whole && campaign?.state === 'canceled') throw canceled(campaign.name);
      });
      return imported;
    });
}

/** Before the merge: those who went straight into the list. */
const noneOf = ({ added }: Counts) => ({ new: added, known: 0, changed: 0, waiting: null });

async function record(tx: Transaction, campaign: string, imported: Imported): Promise<void> {
  const { waiting: _, ...after } = imported;
  if (after.accepted + after.rejected === 0) return;
  await tx.query('activity/add', [
    activityOf({ verb: 'recipients.add', subject: campaign, campaign, after }),
  ]);
}

async function findWay(
  db: Database,
  tx: Transaction,
  campaignId: string,
  mode: ImportOptions['mode'],
): Promise<Way> {
  const whole = mode === 'whole';
  const [found] = await tx.query('people/import_first', [campaignId]);
  const first = !found!.people && !found!.rejects;
  let staged: Promise<void> | undefined;
  const makeStage = async () => {
    await tx.query('people/import_stage');
    if (whole) return;
    await tx.query('people/import_stage_rejects');
    await tx.query('people/import_stage_repairs');
  };
  const stage = () => (staged ??= makeStage());
  if (!first && whole) await stage();
  const [last]: { lastRow: number }[] = whole ? [] : await tx.query('people/last_row', [campaignId]);
  return {
    campaignId,
    first,
    whole,
    keepsRejects: first || mode !== 'more',
    hasRejects: found!.rejects!,
    lastRow: last?.lastRow ?? 0,
    stage,
    // On a connection of its own, as this one carries a COPY. No other import changes the list meanwhile.
    async known(phones) {
      if (first || !found!.people) return nobody;
      const rows: { phone: string }[] = await db.query('people/import_known', [campaignId, phones]);
      return new Set(rows.map((row) => row.phone));
    },
  };
}

/** Those who went straight into the list; answers how many of them must not be called. */
async function finishAdded(
  tx: Transaction,
  { campaignId, lastRow }: Way,
  { added }: Counts,
): Promise<number> {
  if (added === 0) return 0;
  const [row]: { barred: number }[] = await tx.query('people/import_barred', [campaignId, added, lastRow]);
  return row!.barred;
}

/** Returns how many of the staged people are new, and how many others changed. */
async function mergeStaged(
  tx: Transaction,
  { campaignId, whole }: Way,
  onKnown: OnKnown,
): Promise<{ added: number; changed: number }> {
  await tx.query('people/import_places', [campaignId]);
  const [laid]: { changed: number }[] = await tx.query('people/import_lay', [campaignId, onKnown]);
  const [merged]: { added: number }[] = await tx.query('people/import_merge', [campaignId, whole]);
  return { ...merged!, ...laid! };
}

/** Returns how many rows that the order never lets through were on the list already: they are no rejects. */
async function endWhole(tx: Transaction, campaignId: string): Promise<number> {
  const [row]: { known: number }[] = await tx.query('people/import_never', [campaignId]);
  await tx.query('people/import_gone', [campaignId]);
  return row!.known;
}

/** Returns how many rejects there are more than before. */
async function mergeRejects(tx: Transaction, way: Way, { rejected, erased }: Counts): Promise<number> {
  if (way.keepsRejects) return rejected - erased;
  if (!way.hasRejects && rejected === 0) return 0;
  await way.stage();
  const [row]: { more: number }[] = await tx.query('people/import_rejects', [way.campaignId, way.lastRow]);
  const [repaired]: { gone: number }[] = await tx.query('people/import_repaired', [way.campaignId]);
  return row!.more - repaired!.gone;
}

function canceled(name: string): CarillonError {
  return new CarillonError('campaign-state', `The campaign ${name} was canceled and takes no more people`);
}

/** A file that is the list: its rejects take the place of all others. */
async function removeRejects(tx: Transaction, campaignId: string): Promise<number> {
  const gone = await tx.client.query('delete from carillon.rejects where campaign_id = $1', [campaignId]);
  return gone.rowCount ?? 0;
}

/** One connection carries one COPY at a time, so what goes elsewhere is kept back in small groups between the rows. */
async function copyAll(tx: Transaction, source: AsyncIterator<PeopleBatch>, way: Way): Promise<Counts> {
  const { campaignId, first, whole, keepsRejects } = way;
  const list = 'carillon.recipients (campaign_id, row, phone, ref, name, agent, place, input, variables)';
  const stage = 'stage (row, phone, ref, name, agent, place, input, variables, never, own_place)';
  const rejects = 'carillon.rejects (campaign_id, row, reason, input)';
  const stagedRejects = 'stage_rejects (row, reason, input)';
  const toList = first || !whole;
  const listLine = (p: NewRecipient) => `${campaignId}\t${personLine(p)}\n`;
  const repairs = 'repairs (line, reason)';
  const counts: Counts = { accepted: 0, rejected: 0, staged: 0, added: 0, erased: 0 };
  const follow = createFollower(way.lastRow);
  let ended = false;
  while (!ended) {
    const kept = createKept();
    const rows = async function* () {
      // The COPY is closed each time enough has gathered, so that memory stays flat when every row goes elsewhere.
      while (!kept.isFull()) {
        const next = await source.next();
        if (next.done) {
          ended = true;
          return;
        }
        const { accepted, rejected } = next.value;
        counts.accepted += accepted.length;
        counts.rejected += rejected.length;
        const lines: string[] = [];
        const known = toList ? await way.known(phonesOf(next.value)) : nobody;
        const fresh = accepted.filter(({ phone }) => !known.has(phone));
        const rowOf = follow([...fresh, ...rejected]);
        for (const person of accepted) {
          const placed = { ...person, row: rowOf(person) };
          if (!toList) lines.push(stageLine(placed));
          else if (known.has(person.phone)) kept.add(stage, stageLine(placed));
          else lines.push(listLine(placed));
        }
        if (toList) counts.added += lines.length;
        counts.staged += accepted.length - (toList ? lines.length : 0);
        for (const reject of rejected) {
          // People whom the order never lets through may be on the list already: the merge finds out.
          if (!toList && reject.phone !== undefined) lines.push(neverLine(reject));
          // A person who was erased and is on the list: that row is theirs.
          else if (reject.phone !== undefined && known.has(reject.phone) && isErased(reject.phone))
            counts.erased++;
          else if (keepsRejects) kept.add(rejects, `${campaignId}\t${rejectLine(reject)}\n`);
          else kept.add(stagedRejects, `${rejectLine({ ...reject, row: rowOf(reject) })}\n`);
        }
        if (!keepsRejects && way.hasRejects) {
          for (const each of [...accepted, ...rejected])
            if (each.repairs) kept.add(repairs, repairLine(each.repairs));
        }
        if (lines.length > 0) yield lines.join('');
      }
    };
    await copy(tx, toList ? list : stage, rows());
    for (const [target, lines] of kept.lines) {
      if (target !== rejects) await way.stage();
      await copy(tx, target, [lines.join('')]);
    }
  }
  return counts;
}

/** Of those who may be on the list already. */
function phonesOf({ accepted, rejected }: PeopleBatch): string[] {
  const phones = accepted.map(({ phone }) => phone);
  for (const { phone } of rejected) if (phone !== undefined && isErased(phone)) phones.push(phone);
  return phones;
}
