import { createHash } from 'node:crypto';
import { z } from 'zod';
import { CarillonError } from '../../base/errors.ts';
import { type OpenSource, openSource } from '../../intake/source.ts';
import {
  bodyFormats,
  type ImportLine,
  importStates,
  type NewImport,
} from '../../ledger/background/background.ts';
import { type Campaign, campaignStates } from '../../ledger/campaigns/campaigns.ts';
import type { Transaction } from '../../ledger/database.ts';
import { createIdempotency, type KeyedRequest } from '../../ledger/idempotency/idempotency.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { ownCampaign } from '../campaigns/moves.ts';
import {
  createTurns,
  type ImportAnswer,
  type ImportWatch,
  importAnswer,
  importAnswerShape,
  importList,
} from '../lists/batches.ts';
import {
  keptList,
  type ListDeps,
  mapOf,
  openSent,
  type SentBody,
  type SentOptions,
  sentShape,
} from '../lists/body.ts';
import { claim, keptDays, type Once, once, readKeyed } from '../requests/idempotency.ts';
import { read, text, yes } from '../requests/input.ts';
import { cursorsByTime, type Page, pageInput, pageOf, readPage } from '../requests/page.ts';
import { shownAs } from '../requests/shown.ts';
import { type TriedImport, tryList } from './try.ts';

/**
 * Adds people to a campaign's list, from a body of any length: all or nothing. It is done now, or later with progress,
 * or only tried.
 */
export const addQuery = z.strictObject({
  ...sentShape,
  dry_run: yes.optional().describe('Only tells what would happen.'),
  list: keptList.describe('Reads the list that a preview keeps under this id; send it without a body.'),
});

export const addedAnswer = z
  .object({
    campaign: z.string(),
    state: z.enum(campaignStates),
    ...importAnswerShape,
    hint: z
      .string()
      .optional()
      .describe('What may have been overlooked, such as two columns of one name; absent if nothing was.'),
  })
  .meta({ id: 'AddedPeople' });
export type Added = z.output<typeof addedAnswer>;

type AddDeps = ListDeps & { baseUrl: string };
export type Adder = {
  /** Stores the people, or with `dry_run` says what would happen. */
  add(nameOrId: string, body: SentBody, query: unknown, key?: unknown): Promise<Once<Added | TriedImport>>;
  /** Takes the body, and stores its people later. */
  begin(nameOrId: string, body: SentBody, query: unknown, key?: unknown): Promise<Once<ShownImport>>;
};
type ImportMade = { import: string };
type Received = {
  campaign: Campaign;
  wanted: SentOptions;
  isTrial: boolean;
  opened: OpenSource;
  request: KeyedRequest | null;
  made: NewImport;
};

export function createAdder(deps: AddDeps): Adder {
  const { ledger, baseUrl } = deps;
  const turns = createTurns();

  const again = async (made: ImportMade) =>
    (await ledger.imports.get(made.import)) ? showImport(ledger, made.import) : null;

  /** All of the body is on disk before a connection to the ledger is taken: a slow sender holds up nobody. */
  async function receive<T>(
    kind: 'now' | 'later',
    [nameOrId, { source, format }, query, key]: Parameters<Adder['add']>,
    work: (received: Received) => Promise<T>,
  ): Promise<T> {
    const { dry_run: isTrial = false, list: _, ...wanted } = read(addQuery, query);
    const campaign = await ownCampaign(ledger, baseUrl, nameOrId);
    mapOf(wanted, deps.door);
    if (isTrial && kind === 'later') {
      throw new CarillonError('request-invalid', '`dry_run` and `Prefer: respond-async` cannot be combined', {
        remedy: 'Leave one of them out.',
      });
    }
    const asked = { campaign: campaign.id, wanted, format, kind };
    const keyed = (body?: string) => (isTrial ? null : readKeyed(['recipients'], key, { ...asked, body }));
    const isKeyed = keyed() !== null;
    // A request that may be a repeat can only be judged once its body was read.
    if (!isKeyed) checkAdding(campaign);
    const opened = await openSource(source);
    try {
      const request = isKeyed ? keyed(await digestOf(opened)) : null;
      const { size: bytes } = await opened.handle.stat();
      const made = { campaignId: campaign.id, format, options: wanted, bytes };
      return await work({ campaign, wanted, isTrial, opened, request, made });
    } finally {
      await opened.handle.close();
    }
  }

  return {
    add: (...asked) =>
      receive('now', asked, async ({ campaign, wanted, isTrial, opened, request, made }) => {
        const { id } = campaign;
        const { on_known: onKnown } = wanted;
        const list = await openSent(deps, campaign, { source: opened, format: made.format }, wanted);
        try {
          if (isTrial) return { answer: await tryList(ledger, campaign, list, onKnown), fresh: true };
          const { answer, fresh } = await once<ImportAnswer, ImportMade>(ledger, request, {
            again,
            act() {
              checkAdding(campaign);
              const watch = request ? keeping(request, made) : undefined;
              return turns.take(id, () => importList(ledger, id, list, { onKnown, watch }));
            },
          });
          const { state } = await ledger.campaigns.get(id);
          const hint = list.hint ? { hint: list.hint } : {};
          return {
            answer: { campaign: campaign.name, state, ...importAnswer.parse(answer), ...hint },
            fresh,
          };
        } finally {
          await list.close();
        }
      }),

    begin: (...asked) =>
      receive('later', asked, ({ campaign, opened, request, made }) =>
        once<ShownImport, ImportMade>(ledger, request, {
          again,
          async act() {
            checkAdding(campaign);
            const sent = opened.handle.createReadStream({ start: 0, autoClose: false });
            const id = await ledger.imports.create(made, sent, {
              begin: (tx) => claim(createIdempotency(tx), request),
              end: (tx, id) => keep(tx, request, id),
            });
            return showImport(ledger, id);
          },
        }),
      ),
  };

  /** Keeps the request's answer in the transaction that stores its people. */
  function keeping(request: KeyedRequest, made: NewImport): ImportWatch {
    return {
      begin: (tx) => claim(createIdempotency(tx), request),
      onRead: async () => undefined,
      async end(tx, sums, rejects) {
        await keep(tx, request, await ledger.imports.keep(tx, made, sums, rejects));
      },
    };
  }
}

async function digestOf({ handle }: OpenSource): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of handle.createReadStream({ start: 0, autoClose: false })) hash.update(chunk);
  return hash.digest('base64url');
}

async function keep(tx: Transaction, request: KeyedRequest | null, id: string): Promise<void> {
  if (request) await createIdempotency(tx).keep(request, { import: id } satisfies ImportMade, keptDays);
}

export function checkAdding(campaign: Campaign): void {
  if (campaign.kind === 'calls') {
    throw new CarillonError('campaign-state', `The campaign ${campaign.name} gathers single calls`, {
      remedy: 'Order single calls with POST /api/calls.',
    });
  }
  if (campaign.state === 'canceled') {
    throw new CarillonError(
      'campaign-state',
      `The campaign ${campaign.name} was canceled and takes no more people`,
    );
  }
  if (campaign.runLives) {
    throw new CarillonError(
      'campaign-busy',
      `The campaign ${campaign.name} is dialled by a run, whose file is its list`,
    );
  }
}

/** Imports that continue after their request was answered: how far each is, and what came of it. */
export const shownImport = z
  .object({
    id: z.string(),
    campaign: z.string(),
    campaign_state: z.enum(campaignStates),
    state: z
      .enum(importStates)
      .describe('`failed`: nothing was stored, and `reason` says why. The same list can be sent again.'),
    code: z.string().nullable().describe('The error’s code, where it failed.'),
    reason: z.string().nullable(),
    since: z.date().describe('Since when it is in this state.'),
    format: z.enum(bodyFormats),
    bytes: z.int(),
    bytes_read: z.int(),
    rows_read: z.int(),
    ...importAnswerShape,
    created_at: z.date(),
    ended_at: z.date().nullable(),
  })
  .meta({ id: 'Import' });
type ShownImport = z.output<typeof shownImport>;

export const importsQuery = z.strictObject({ ...pageInput, campaign: text(300).optional() });
export const importsAnswer = pageOf(shownImport);

export async function showImport(ledger: Pick<Ledger, 'imports'>, id: string): Promise<ShownImport> {
  const found = z.uuid().safeParse(id).success ? await ledger.imports.get(id) : null;
  if (!found) throw new CarillonError('import-unknown', `The import ${id} was not found`);
  return show(found);
}

/** Newest first. */
export async function listImports(ledger: Ledger, query: unknown): Promise<Page<ShownImport>> {
  const { campaign, ...page } = read(importsQuery, query);
  const only = campaign === undefined ? null : (await ledger.campaigns.get(campaign)).id;
  return readPage(page, cursorsByTime, (after, most) => ledger.imports.page(after, most, only), show);
}

function show(line: ImportLine): ShownImport {
  const { rejected = 0, known = 0, changed = 0 } = line.passed;
  return shownAs(shownImport, line, {
    bytes: line.size,
    bytes_read: line.seen,
    accepted: line.done,
    // Nobody is on the list before the import is done.
    new: line.state === 'done' ? line.done - known : 0,
    known,
    changed,
    rejected,
  });
}
