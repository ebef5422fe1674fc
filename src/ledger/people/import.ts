import { CarillonError } from '../../base/errors.ts';
import { activityOf } from '../activity/activity.ts';
import { column, value } from '../answers.ts';
import type { Database, Transaction } from '../database.ts';
import type { PeopleBatch } from './lines.ts';
import {
  copy,
  createFollower,
  createKept,
  goesToList,
  type ImportCounts,
  type ImportWay,
  nobody,
  sortBatch,
  targets,
} from './sort.ts';

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
type ImportWork = {
  begin(tx: Transaction): Promise<void>;
  end(tx: Transaction, counts: Imported): Promise<void>;
};

export function createImport(db: Database) {
  return (
    campaignId: string,
    batches: AsyncIterable<PeopleBatch>,
    { columns, mode, onKnown = mode === 'more' ? 'keep' : 'replace', work }: ImportOptions,
  ): Promise<Imported> =>
    db.transaction(async (tx) => {
      await work?.begin(tx);
      await tx.query('people/import_alone', { campaignId });
      const removed = mode === 'more' ? 0 : await removeRejects(tx, campaignId);
      const way = await findWay(db, tx, campaignId, mode);
      const source = batches[Symbol.asyncIterator]();
      // A file must be closed when the reading ends early, too.
      const counts = await copyAll(tx, source, way).finally(() => source.return?.());
      if (counts.staged > 0 || counts.several > 0) await indexStage(tx);
      // Calls continue meanwhile, and their verbs want the same rows.
      return tx.steadily(async () => {
        const imported = await merge(tx, way, counts, onKnown, removed);
        await work?.end(tx, imported);
        await record(tx, campaignId, imported);
        const [campaign] = await tx.query('people/import_columns', { campaignId, columns });
        // It may have been canceled while the rows were read; then nobody would ever look at them.
        if (mode !== 'whole' && campaign?.state === 'canceled') throw canceled(campaign.name);
        return imported;
      });
    });
}

async function indexStage(tx: Transaction): Promise<void> {
  await tx.query('people/import_stage_index');
  await tx.query('people/import_stage_phones_index');
  await tx.query('people/import_stage_counted');
}

/** Merges what was staged into the list and its rejects; `removed`: how many rejects the import took away at its start. */
async function merge(
  tx: Transaction,
  way: ImportWay,
  counts: ImportCounts,
  onKnown: OnKnown,
  removed: number,
): Promise<Imported> {
  const { campaignId, first, whole } = way;
  const isSeveral = await concernsSeveral(tx, campaignId, counts);
  // Whoever must not be called on the first number may be called on the next.
  if (counts.several > 0 && counts.added > 0) await tx.query('people/import_phones', { campaignId });
  const barred = await finishAdded(tx, way, counts);
  const twins = isSeveral && counts.staged > 0 ? await resolveStaged(tx, way) : 0;
  const merged = counts.staged > 0 ? await mergeStaged(tx, way, onKnown) : { added: 0, changed: 0 };
  if (isSeveral && counts.staged > 0) await mergePhones(tx, campaignId);
  const added = counts.added + merged.added;
  const rejected = counts.rejected + twins - (whole && !first ? await endWhole(tx, campaignId) : 0);
  const more = first || whole ? rejected : await mergeRejects(tx, way, counts);
  await tx.query('people/import_refused', { campaignId, more: more - removed });
  const accepted = counts.accepted - twins;
  const waiting = first ? accepted - barred : null;
  return { accepted, rejected, new: added, known: accepted - added, changed: merged.changed, waiting };
}

async function record(tx: Transaction, campaign: string, imported: Imported): Promise<void> {
  const { waiting: _, ...after } = imported;
  if (after.accepted + after.rejected === 0) return;
  await tx.query('activity/add', {
    change: activityOf({ verb: 'recipients.add', subject: campaign, campaign, after }),
  });
}

async function findWay(
  db: Database,
  tx: Transaction,
  campaignId: string,
  mode: ImportOptions['mode'],
): Promise<ImportWay> {
  const whole = mode === 'whole';
  const [found] = await tx.query('people/import_first', { campaignId });
  const first = !found!.people && !found!.rejects;
  let staged: Promise<void> | undefined;
  const makeStage = async () => {
    await tx.query('people/import_stage');
    await tx.query('people/import_stage_phones');
    await tx.query('people/import_stage_rejects');
    if (whole) return;
    await tx.query('people/import_stage_repairs');
  };
  const stage = () => (staged ??= makeStage());
  if (!first && whole) await stage();
  const lastRow: number = whole ? 0 : await value(tx, 'people/last_row', { campaignId });
  return {
    campaignId,
    first,
    whole,
    keepsRejects: first || mode !== 'more',
    hasRejects: found!.rejects!,
    lastRow,
    stage,
    // On a connection of its own, as this one carries a COPY. No other import changes the list meanwhile.
    async known(phones) {
      if (first || !found!.people) return nobody;
      return new Set<string>(await column(db, 'people/import_known', { campaignId, phones }));
    },
  };
}

/** Those who went straight into the list; answers how many of them must not be called. */
async function finishAdded(
  tx: Transaction,
  { campaignId, lastRow }: ImportWay,
  { added }: ImportCounts,
): Promise<number> {
  if (added === 0) return 0;
  return value(tx, 'people/import_barred', { campaignId, added, lastRow });
}

/** Returns how many of the staged people are new, and how many others changed. */
async function mergeStaged(
  tx: Transaction,
  { campaignId, whole }: ImportWay,
  onKnown: OnKnown,
): Promise<{ added: number; changed: number }> {
  await tx.query('people/import_places', { campaignId });
  const changed: number = await value(tx, 'people/import_lay', { campaignId, onKnown });
  return { added: await value(tx, 'people/import_merge', { campaignId, whole }), changed };
}

/** Returns how many rows that the order never lets through were on the list already: they are no rejects. */
async function endWhole(tx: Transaction, campaignId: string): Promise<number> {
  const known: number = await value(tx, 'people/import_never', { campaignId });
  await tx.query('people/import_gone', { campaignId });
  return known;
}

/** Returns how many rejects there are more than before. */
async function mergeRejects(
  tx: Transaction,
  way: ImportWay,
  { rejected, erased }: ImportCounts,
): Promise<number> {
  if (way.keepsRejects) return rejected - erased;
  if (!way.hasRejects && rejected === 0) return 0;
  await way.stage();
  const more: number = await value(tx, 'people/import_rejects', {
    campaignId: way.campaignId,
    lastRow: way.lastRow,
  });
  return (
    more -
    (await value<'people/import_repaired', number>(tx, 'people/import_repaired', {
      campaignId: way.campaignId,
    }))
  );
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
async function copyAll(
  tx: Transaction,
  source: AsyncIterator<PeopleBatch>,
  way: ImportWay,
): Promise<ImportCounts> {
  const counts: ImportCounts = { accepted: 0, rejected: 0, staged: 0, added: 0, several: 0, erased: 0 };
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
        const lines = await sortBatch(next.value, way, { counts, follow, keep: kept.add });
        if (lines.length > 0) yield lines.join('');
      }
    };
    await copy(tx, goesToList(way) ? targets.list : targets.stage, rows());
    for (const [target, lines] of kept.lines) {
      if (target !== targets.rejects) await way.stage();
      await copy(tx, target, [lines.join('')]);
    }
  }
  return counts;
}

/**
 * The part of an import that concerns people with several numbers: they are known by any of them. A list whose people have
 * one each skips all of it.
 */
async function concernsSeveral(
  tx: Transaction,
  campaignId: string,
  { several, staged }: ImportCounts,
): Promise<boolean> {
  if (several > 0) return true;
  if (staged === 0) return false;
  return value(tx, 'people/import_has_phones', { campaignId });
}

/** Before the merge: staged rows take the numbers under which their people stand in the list. Returns how many are rejected. */
async function resolveStaged(tx: Transaction, { campaignId, keepsRejects }: ImportWay): Promise<number> {
  await tx.query('people/import_resolve', { campaignId });
  return value(tx, 'people/import_twins', { campaignId, keepsRejects });
}

/** After the merge: new people, and those who took their row, have its numbers. */
async function mergePhones(tx: Transaction, campaignId: string): Promise<void> {
  await tx.query('people/import_phones_gone', { campaignId });
  await tx.query('people/import_phones_given', { campaignId });
  await tx.query('people/import_phones', { campaignId });
  await tx.query('people/pass_barred', { to: campaignId });
}
