import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { from as copyFrom } from 'pg-copy-streams';
import type { Database, Transaction } from '../database.ts';
import { jsonOf } from '../json.ts';

/**
 * People come in by COPY, in one transaction: all of the input or nothing. An empty list is filled directly; otherwise
 * they go to a stage, and are merged when the whole input has been read.
 */
export type NewRecipient = {
  row: number;
  phone: string;
  name: string | null;
  /** The agent that the row asks for; without one, the order decides. */
  agent?: string | null | undefined;
  /** As src/rules/phone/place.ts writes it. */
  place: string;
  /** What was given, as it was given. */
  input: Record<string, unknown>;
  /** What of it goes to the service with a call. */
  variables: Record<string, unknown>;
  ref?: string;
};
export type NewReject = {
  row: number;
  reason: string;
  input: Record<string, unknown>;
  /** Of a person whom the order never lets through; one who is on the list already is told there. */
  phone?: string | undefined;
};
export type PeopleBatch = { accepted: NewRecipient[]; rejected: NewReject[] };

export type ImportOptions = {
  columns: string[];
  /** 'whole': this input is the list, who is not in it any more is skipped. 'more': it is added to the list. */
  mode: 'whole' | 'more';
};
export type Imported = {
  accepted: number;
  rejected: number;
  /** How many wait on a list that was empty before, known without counting a million. Null on any other. */
  waiting: number | null;
};

/** What of a person changes; null empties it. */
export type PersonChange = {
  phone?: string;
  place?: string;
  name?: string | null;
  agent?: string | null;
  variables?: Record<string, unknown>;
};
/** Why a person was not changed, or stays on the list. */
export type PersonRefusal = 'gone' | 'called' | 'twice' | 'suppressed' | 'live' | 'unknown' | 'over';

export type People = ReturnType<typeof createPeople>;

export function createPeople(db: Database) {
  return {
    async import(
      campaignId: string,
      batches: AsyncIterable<PeopleBatch>,
      options: ImportOptions,
    ): Promise<Imported> {
      return db.transaction(async (tx) => {
        await tx.query('people/import_alone', [campaignId]);
        const whole = options.mode === 'whole';
        const removed = whole ? await removeRejects(tx, campaignId) : 0;
        const [empty]: { first: boolean }[] = await tx.query('people/import_first', [campaignId]);
        const first = empty!.first;
        if (!first) {
          await tx.query('people/import_stage');
          if (!whole) await tx.query('people/import_stage_rejects');
        }
        const source = batches[Symbol.asyncIterator]();
        // A file must be closed when the reading ends early, too.
        const counts = await copyAll(tx, campaignId, source, { first, whole }).finally(() =>
          source.return?.(),
        );
        // Calls continue meanwhile, and their verbs want the same rows.
        const { rejected } = counts;
        await tx.steadily(async () => {
          counts.rejected = rejected;
          let more = 0;
          if (first) {
            const [row]: { barred: number }[] = await tx.query('people/import_barred', [
              campaignId,
              counts.accepted,
            ]);
            counts.waiting = counts.accepted - row!.barred;
            more = rejected;
          } else {
            await tx.query('people/import_merge', [campaignId, whole]);
            if (whole) {
              const [row]: { known: number }[] = await tx.query('people/import_never', [campaignId]);
              counts.rejected -= row!.known;
              more = counts.rejected;
              await tx.query('people/import_gone', [campaignId]);
            } else {
              const [row]: { more: number }[] = await tx.query('people/import_rejects', [campaignId]);
              more = row!.more;
            }
            await tx.query('people/import_places', [campaignId]);
          }
          await tx.query('people/import_refused', [campaignId, more - removed]);
          await tx.query('people/import_columns', [campaignId, options.columns]);
        });
        return counts;
      });
    },

    /** Answers why nothing was changed; null when it was. */
    async change(id: number, change: PersonChange): Promise<PersonRefusal | null> {
      const [row]: { refusal: PersonRefusal | null }[] = await db.query('people/change', [
        id,
        jsonOf(change),
      ]);
      return row!.refusal;
    },

    /** Answers why the person stays; null when they are off the list. */
    async remove(id: number): Promise<PersonRefusal | null> {
      const [row]: { refusal: PersonRefusal | null }[] = await db.query('people/remove', [id]);
      return row!.refusal;
    },

    /** What goes to the service with the person's next call. */
    async variablesOf(id: number): Promise<Record<string, unknown>> {
      const [row]: { variables: Record<string, unknown> }[] = await db.query('people/variables_of', [id]);
      return row?.variables ?? {};
    },

    /** Null when the campaign has nobody with this phone. */
    async idOf(campaignId: string, phone: string): Promise<number | null> {
      const [found] = await db.query('people/id_of', [campaignId, phone]);
      return found?.id ?? null;
    },

    /** The last row of a list: what is added to it stands behind. */
    async lastRow(campaignId: string): Promise<number> {
      const [base]: { lastRow: number }[] = await db.query('people/last_row', [campaignId]);
      return base!.lastRow;
    },

    /** Returns how many waiting people can never be called; `why` is the reason of each place. */
    async skipNever(campaignId: string, never: readonly { place: string; why: string }[]): Promise<number> {
      const values = [campaignId, never.map((each) => each.place), never.map((each) => each.why)] as const;
      const [row] = await db.query('people/skip_never', values);
      return row?.skipped ?? 0;
    },
  };
}

/** A file that is the list: its rejects take the place of all others. */
async function removeRejects(tx: Transaction, campaignId: string): Promise<number> {
  const gone = await tx.client.query('delete from carillon.rejects where campaign_id = $1', [campaignId]);
  return gone.rowCount ?? 0;
}

/** Rejects that are kept back at most: rows, and characters of them. */
const mostRefused = 5_000;
const mostRefusedText = 10_000_000;

/** One connection carries one COPY at a time, so the rejects are kept back in small groups between the rows. */
async function copyAll(
  tx: Transaction,
  campaignId: string,
  source: AsyncIterator<PeopleBatch>,
  { first, whole }: { first: boolean; whole: boolean },
): Promise<Imported> {
  const target = first
    ? 'carillon.recipients (campaign_id, row, phone, ref, name, agent, place, input, variables)'
    : 'stage (row, phone, ref, name, agent, place, input, variables, never)';
  const line = first
    ? (p: NewRecipient) => `${campaignId}\t${stageLine(p)}\n`
    : (p: NewRecipient) => `${stageLine(p)}\t\\N\n`;
  const staged = !first && !whole;
  const rejectTarget = staged
    ? 'stage_rejects (row, reason, input)'
    : 'carillon.rejects (campaign_id, row, reason, input)';
  // Whom the order never lets through may be on the list already: the merge finds out.
  const isStaged = (reject: NewReject) => whole && !first && reject.phone !== undefined;
  const counts: Imported = { accepted: 0, rejected: 0, waiting: null };
  let ended = false;
  while (!ended) {
    const refused: string[] = [];
    let refusedText = 0;
    const accepted = async function* () {
      // The COPY is closed each time enough rejects have gathered, so that memory stays flat when every row is wrong.
      while (refused.length < mostRefused && refusedText < mostRefusedText) {
        const next = await source.next();
        if (next.done) {
          ended = true;
          return;
        }
        counts.accepted += next.value.accepted.length;
        counts.rejected += next.value.rejected.length;
        const { accepted, rejected } = next.value;
        for (const reject of rejected) {
          if (isStaged(reject)) continue;
          const text = `${staged ? '' : `${campaignId}\t`}${rejectLine(reject)}\n`;
          refused.push(text);
          refusedText += text.length;
        }
        const lines = [...accepted.map(line), ...rejected.filter(isStaged).map(neverLine)];
        if (lines.length > 0) yield lines.join('');
      }
    };
    const stage = tx.client.query(copyFrom(`copy ${target} from stdin`));
    await pipeline(Readable.from(accepted(), { objectMode: true, highWaterMark: 2 }), stage);
    if (refused.length > 0) {
      const rejects = tx.client.query(copyFrom(`copy ${rejectTarget} from stdin`));
      await pipeline(Readable.from([refused.join('')]), rejects);
    }
  }
  return counts;
}

function rejectLine({ row, reason, input }: NewReject): string {
  return `${row}\t${escapeCopy(reason)}\t${jsonCell(input)}`;
}

function stageLine(p: NewRecipient): string {
  const optional = (text: string | null | undefined) => (text == null ? '\\N' : escapeCopy(text));
  const cells = [
    p.row,
    p.phone,
    escapeCopy(p.ref ?? ''),
    optional(p.name),
    optional(p.agent),
    escapeCopy(p.place),
  ];
  return [...cells, jsonCell(p.input), jsonCell(keptVariables(p))].join('\t');
}

function neverLine({ row, phone, input, reason }: NewReject): string {
  return `${stageLine({ row, phone: phone!, name: null, place: '', input, variables: {} })}\t${escapeCopy(reason)}\n`;
}

/** What the input holds as it is sent is not kept twice: the names that are not sent are enough. */
function keptVariables({ input, variables }: NewRecipient): Record<string, unknown> | string[] {
  const names = Object.keys(variables);
  const isKept = (name: string) => Object.hasOwn(input, name) && isSame(input[name], variables[name]);
  if (names.length === 0 || !names.every(isKept)) return variables;
  return Object.keys(input).filter((name) => !Object.hasOwn(variables, name));
}

function isSame(given: unknown, sent: unknown): boolean {
  return given === sent || (typeof sent === 'object' && JSON.stringify(given) === JSON.stringify(sent));
}

const jsonCell = (fields: Record<string, unknown> | string[]) => escapeCopy(jsonOf(fields));

const special = /[\\\t\n\r\0]/g;
const escapes: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r', '\0': '' };
function escapeCopy(text: string): string {
  return text.replace(special, (char) => escapes[char]!);
}
