import { z } from 'zod';
import type { Clock } from '../../base/clock.ts';
import { CarillonError } from '../../base/errors.ts';
import { openSource } from '../../intake/source.ts';
import type { Campaign } from '../../ledger/campaigns/verbs.ts';
import type { NewImport } from '../../ledger/imports/verbs.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { ownCampaign } from '../campaigns/moves.ts';
import { read, yes } from '../input.ts';
import { type ImportAnswer, type ImportWatch, importAnswerShape, importBatches } from './batches.ts';
import { type ListOptions, listShape, mapOf, openList, type SentBody } from './body.ts';
import { type ListRequest, readRequest, repeatedImport } from './request.ts';
import { type ShownImport, showImport } from './show.ts';
import { type TriedImport, tryList } from './try.ts';
import { createTurns } from './turns.ts';

/**
 * Adds people to a campaign's list, from a body of any length: all or nothing. Now, or later with progress to look at;
 * or only to see what would happen.
 */
export const addQuery = z.strictObject({
  ...listShape,
  dry_run: yes.optional().describe('Only tells what would happen.'),
});

export const addedAnswer = z.object({ campaign: z.string(), state: z.string(), ...importAnswerShape });
export type Added = z.output<typeof addedAnswer>;

export type AddDeps = { ledger: Ledger; baseUrl: string; clock: Pick<Clock, 'now'> };
export type Adder = {
  /** Stores the people, or with `dry_run` says what would happen. */
  add(nameOrId: string, body: SentBody, query: unknown, key?: unknown): Promise<Added | TriedImport>;
  /** Takes the body, and stores its people later. */
  begin(nameOrId: string, body: SentBody, query: unknown, key?: unknown): Promise<ShownImport>;
};

export function createAdder(deps: AddDeps): Adder {
  const { ledger, baseUrl } = deps;
  const turns = createTurns();

  const find = async (nameOrId: string, query: unknown) => {
    const { dry_run: isTrial = false, ...wanted } = read(addQuery, query);
    const campaign = await ownCampaign(ledger, baseUrl, nameOrId);
    mapOf(wanted);
    return { campaign, wanted, isTrial };
  };

  return {
    async add(nameOrId, body, query, key) {
      const { campaign, wanted, isTrial } = await find(nameOrId, query);
      const { id } = campaign;
      const asked = { campaign: id, wanted, format: body.format, kind: 'now' };
      const request = isTrial ? null : readRequest(body.source, key, asked);
      // Of a request that may be here for the second time, the body must be known first.
      if (!request) checkAdding(campaign);
      const source = request?.source ?? body.source;
      // The body is on disk before a connection to the ledger is taken.
      const list = await openList(deps, campaign, { source, format: body.format }, wanted);
      try {
        if (isTrial) return await tryList(ledger, campaign, list);
        const before = request && (await repeatedImport(ledger, request.ref()));
        if (before) return await answerOf(campaign, before);
        checkAdding(campaign);
        const made = { campaignId: id, format: body.format, options: wanted };
        const watch = request ? keeping(request, made) : undefined;
        const added = await turns.take(id, () =>
          importBatches(ledger, id, list.batches, list.columns, watch),
        );
        return await answerOf(campaign, added);
      } catch (error) {
        if (!(error instanceof Repeated)) throw error;
        return await answerOf(campaign, (await repeatedImport(ledger, request!.ref()))!);
      } finally {
        await list.close();
      }
    },

    async begin(nameOrId, body, query, key) {
      const { campaign, wanted, isTrial } = await find(nameOrId, query);
      if (isTrial) {
        throw new CarillonError('request-invalid', 'A dry run stores nothing that could be followed', {
          remedy: 'Leave out either `dry_run` or `Prefer: respond-async`.',
        });
      }
      return store(campaign, body, wanted, key);
    },
  };

  async function answerOf(campaign: Campaign, { accepted, rejected, rejects }: ImportAnswer): Promise<Added> {
    const { state } = await ledger.campaigns.get(campaign.id);
    return { campaign: campaign.name, state, accepted, rejected, rejects };
  }

  /** Keeps the answer of a request with the people that it brought. */
  function keeping(request: ListRequest, made: Omit<NewImport, 'bytes'>): ImportWatch {
    return {
      begin: async () => undefined,
      onRead: async () => undefined,
      async end(tx, sums, rejects) {
        const { imports } = ledger;
        const kept = { ...made, bytes: request.bytes() };
        if (!(await imports.keep(tx, kept, request.ref(), sums, rejects))) throw new Repeated();
      },
    };
  }

  /** Into the ledger only when all of it is here: a slow sender holds no connection. */
  async function store(
    campaign: Campaign,
    { source, format }: SentBody,
    options: ListOptions,
    key: unknown,
  ): Promise<ShownImport> {
    const asked = { campaign: campaign.id, wanted: options, format, kind: 'later' };
    const request = readRequest(source, key, asked);
    if (!request) checkAdding(campaign);
    const { handle } = await openSource(request?.source ?? source);
    try {
      const ref = request?.ref() ?? null;
      const before = ref && (await repeatedImport(ledger, ref));
      if (before) return before;
      checkAdding(campaign);
      const { size: bytes } = await handle.stat();
      const body = handle.createReadStream({ start: 0, autoClose: false });
      const id = await ledger.imports.create({ campaignId: campaign.id, format, options, bytes }, ref, body);
      // Another request with this key came between.
      return id === null ? (await repeatedImport(ledger, ref!))! : await showImport(ledger, id);
    } finally {
      await handle.close();
    }
  }
}

/** Another request with this key stored the people meanwhile: what was stored here is undone. */
class Repeated extends Error {}

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
