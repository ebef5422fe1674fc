import { z } from 'zod';
import type { Clock } from '../../base/clock.ts';
import { CarillonError } from '../../base/errors.ts';
import { openSource } from '../../intake/source.ts';
import type { Campaign } from '../../ledger/campaigns/verbs.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { ownCampaign } from '../campaigns/moves.ts';
import { read, yes } from '../input.ts';
import { importAnswerShape, importBatches } from './batches.ts';
import { type ListOptions, listShape, mapOf, openList, type SentBody } from './body.ts';
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
  add(nameOrId: string, body: SentBody, query: unknown): Promise<Added | TriedImport>;
  /** Takes the body, and stores its people later. */
  begin(nameOrId: string, body: SentBody, query: unknown): Promise<ShownImport>;
};

export function createAdder(deps: AddDeps): Adder {
  const { ledger, baseUrl } = deps;
  const turns = createTurns();

  const find = async (nameOrId: string, query: unknown) => {
    const { dry_run: isTrial = false, ...wanted } = read(addQuery, query);
    const campaign = await ownCampaign(ledger, baseUrl, nameOrId);
    checkAdding(campaign);
    mapOf(wanted);
    return { campaign, wanted, isTrial };
  };

  return {
    async add(nameOrId, body, query) {
      const { campaign, wanted, isTrial } = await find(nameOrId, query);
      // The body is on disk before a connection to the ledger is taken.
      const list = await openList(deps, campaign, body, wanted);
      try {
        if (isTrial) return await tryList(ledger, campaign, list);
        const added = await turns.take(campaign.id, () =>
          importBatches(ledger, campaign.id, list.batches, list.columns),
        );
        const { state } = await ledger.campaigns.get(campaign.id);
        return { campaign: campaign.name, state, ...added };
      } finally {
        await list.close();
      }
    },

    async begin(nameOrId, body, query) {
      const { campaign, wanted, isTrial } = await find(nameOrId, query);
      if (isTrial) {
        throw new CarillonError('request-invalid', 'A dry run stores nothing that could be followed', {
          remedy: 'Leave out either `dry_run` or `Prefer: respond-async`.',
        });
      }
      const id = await store(ledger, campaign, body, wanted);
      return showImport(ledger, id);
    },
  };
}

/** Into the ledger only when all of it is here: a slow sender holds no connection. */
async function store(
  ledger: Ledger,
  campaign: Campaign,
  { source, format }: SentBody,
  options: ListOptions,
): Promise<string> {
  const { handle } = await openSource(source);
  try {
    const { size: bytes } = await handle.stat();
    const body = handle.createReadStream({ start: 0, autoClose: false });
    return await ledger.imports.create({ campaignId: campaign.id, format, options, bytes }, body);
  } finally {
    await handle.close();
  }
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
