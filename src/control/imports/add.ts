import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { z } from 'zod';
import { CarillonError } from '../../base/errors.ts';
import { type CsvSource, openSource } from '../../intake/source.ts';
import type { NewImport } from '../../ledger/background/background.ts';
import { type Campaign, campaignStates } from '../../ledger/campaigns/campaigns.ts';
import type { Transaction } from '../../ledger/database.ts';
import { createIdempotency, type KeyedRequest } from '../../ledger/idempotency/idempotency.ts';
import { ownCampaign } from '../campaigns/moves.ts';
import {
  createTurns,
  type ImportAnswer,
  type ImportWatch,
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
import { read, yes } from '../requests/input.ts';
import { type ShownImport, showImport } from './show.ts';
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

export function createAdder(deps: AddDeps): Adder {
  const { ledger, baseUrl } = deps;
  const turns = createTurns();

  const find = async (nameOrId: string, query: unknown) => {
    const { dry_run: isTrial = false, list: _, ...wanted } = read(addQuery, query);
    const campaign = await ownCampaign(ledger, baseUrl, nameOrId);
    mapOf(wanted, deps.door);
    return { campaign, wanted, isTrial };
  };

  const again = async (made: ImportMade) =>
    (await ledger.imports.get(made.import)) ? showImport(ledger, made.import) : null;

  return {
    async add(nameOrId, body, query, key) {
      const { campaign, wanted, isTrial } = await find(nameOrId, query);
      const { id } = campaign;
      const asked = { campaign: id, wanted, format: body.format, kind: 'now' };
      const passing = isTrial ? null : passList(body.source, key, asked);
      // A request that may be a repeat can only be judged once its body was read.
      if (!passing) checkAdding(campaign);
      const source = passing?.source ?? body.source;
      // The body is on disk before a connection to the ledger is taken.
      const list = await openSent(deps, campaign, { source, format: body.format }, wanted);
      try {
        const { on_known: onKnown } = wanted;
        if (isTrial) return { answer: await tryList(ledger, campaign, list, onKnown), fresh: true };
        const made = { campaignId: id, format: body.format, options: wanted };
        const stored = await once<ImportAnswer, ImportMade>(ledger, passing?.request() ?? null, {
          again,
          act() {
            checkAdding(campaign);
            const watch = passing ? keeping(passing, made) : undefined;
            const options = { onKnown, watch };
            return turns.take(id, () => importList(ledger, id, list, options));
          },
        });
        const answer = await answerOf(campaign, stored.answer);
        const hint = list.csv?.hint;
        return { ...stored, answer: hint ? { ...answer, hint } : answer };
      } finally {
        await list.close();
      }
    },

    async begin(nameOrId, body, query, key) {
      const { campaign, wanted, isTrial } = await find(nameOrId, query);
      if (isTrial) {
        throw new CarillonError(
          'request-invalid',
          '`dry_run` and `Prefer: respond-async` cannot be combined',
          {
            remedy: 'Leave one of them out.',
          },
        );
      }
      return store(campaign, body, wanted, key);
    },
  };

  async function answerOf(campaign: Campaign, imported: ImportAnswer): Promise<Added> {
    const { state } = await ledger.campaigns.get(campaign.id);
    const { accepted, new: fresh, known, changed, rejected, rejects } = imported;
    return { campaign: campaign.name, state, accepted, new: fresh, known, changed, rejected, rejects };
  }

  /** Keeps the request's answer in the transaction that stores its people. */
  function keeping(passing: PassingList, made: Omit<NewImport, 'bytes'>): ImportWatch {
    const request = passing.request();
    return {
      begin: (tx) => claim(createIdempotency(tx), request),
      onRead: async () => undefined,
      async end(tx, sums, rejects) {
        const id = await ledger.imports.keep(tx, { ...made, bytes: passing.bytes() }, sums, rejects);
        await keep(tx, request, id);
      },
    };
  }

  /** The body is stored only when all of it has arrived: a slow sender holds no connection. */
  async function store(
    campaign: Campaign,
    { source, format }: SentBody,
    options: SentOptions,
    key: unknown,
  ): Promise<Once<ShownImport>> {
    const asked = { campaign: campaign.id, wanted: options, format, kind: 'later' };
    const passing = passList(source, key, asked);
    if (!passing) checkAdding(campaign);
    const { handle } = await openSource(passing?.source ?? source);
    const request = passing?.request() ?? null;
    try {
      return await once<ShownImport, ImportMade>(ledger, request, {
        again,
        async act() {
          checkAdding(campaign);
          const { size: bytes } = await handle.stat();
          const body = handle.createReadStream({ start: 0, autoClose: false });
          const id = await ledger.imports.create({ campaignId: campaign.id, format, options, bytes }, body, {
            begin: (tx) => claim(createIdempotency(tx), request),
            end: (tx, id) => keep(tx, request, id),
          });
          return showImport(ledger, id);
        },
      });
    } finally {
      await handle.close();
    }
  }
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

/** A list while it is read: the digest that identifies the request is known only at its end. */
type PassingList = {
  /** Read this instead of the original source. */
  source: CsvSource;
  /** Available after the body was read. */
  request(): KeyedRequest;
  bytes(): number;
};

/** Null without a key. `asked` is what else distinguishes one request from another. */
function passList(source: CsvSource, key: unknown, asked: object): PassingList | null {
  if (!('stream' in source) || readKeyed(['recipients'], key, asked) === null) return null;
  const hash = createHash('sha256');
  let bytes = 0;
  const passing = async function* () {
    for await (const chunk of source.stream) {
      hash.update(chunk);
      bytes += chunk.length;
      yield chunk;
    }
  };
  return {
    source: { stream: Readable.from(passing()) },
    request: () => readKeyed(['recipients'], key, { ...asked, body: hash.copy().digest('base64url') })!,
    bytes: () => bytes,
  };
}
