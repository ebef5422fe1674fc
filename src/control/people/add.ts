import type { Readable } from 'node:stream';
import { z } from 'zod';
import type { Clock } from '../../base/clock.ts';
import { CarillonError } from '../../base/errors.ts';
import type { ColumnMap } from '../../intake/columns.ts';
import { openCsv } from '../../intake/csv.ts';
import { readJsonRecipients } from '../../intake/json.ts';
import { readJsonArray, readNdjson } from '../../intake/json-items.ts';
import { parseMap } from '../../intake/options.ts';
import { openSource } from '../../intake/source.ts';
import type { Campaign } from '../../ledger/campaigns/verbs.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { ownCampaign } from '../campaigns/moves.ts';
import { country, read, text } from '../input.ts';
import { type ImportAnswer, importBatches } from './import.ts';

/** Adds people to a campaign's list, from a body of any length: all or nothing. */
const input = z.strictObject({
  country: country.optional(),
  // Names for the columns of a CSV.
  phone: text(500).optional(),
  name: text(500).optional(),
  timezone: text(500).optional(),
  state: text(500).optional(),
  agent: text(500).optional(),
  // The same as `--map`, with types of variables.
  map: text(2_000).optional(),
});
type Input = z.output<typeof input>;

export type PeopleFormat = 'csv' | 'json' | 'ndjson';
export type Added = ImportAnswer & { campaign: string; state: string };
export type Adder = (
  nameOrId: string,
  body: { stream: Readable; format: PeopleFormat },
  query: unknown,
) => Promise<Added>;

/** One import at a time: calls come first on the ledger's connections. */
export function createAdder(deps: { ledger: Ledger; baseUrl: string; clock: Clock }): Adder {
  const { ledger, baseUrl, clock } = deps;
  const inTurn = createTurns();
  return async (nameOrId, body, query) => {
    const campaign = await ownCampaign(ledger, baseUrl, nameOrId);
    checkAdding(campaign);
    const answer = await addFrom(body, campaign, read(input, query));
    const { state } = await ledger.campaigns.get(campaign.id);
    return { campaign: campaign.name, state, ...answer };
  };

  async function addFrom(
    { stream, format }: { stream: Readable; format: PeopleFormat },
    campaign: Campaign,
    wanted: Input,
  ): Promise<ImportAnswer> {
    const options = {
      country: wanted.country,
      timezone: campaign.timezone ?? undefined,
      calendar: () => ledger.calendarOf(campaign.times),
      now: clock.now(),
    };
    // The body is on disk before a connection to the ledger is taken, so that a slow sender holds up nobody.
    if (format === 'csv') {
      const intake = await openCsv({ stream }, { ...options, map: mapOf(wanted) }).catch(asColumnFault);
      try {
        return await inTurn(() => importBatches(ledger, campaign.id, intake.batches, intake.columns));
      } finally {
        await intake.close();
      }
    }
    const { handle } = await openSource({ stream });
    try {
      const chunks = handle.createReadStream({ start: 0, autoClose: false });
      const values = format === 'json' ? readJsonArray(chunks) : readNdjson(chunks);
      const batches = readJsonRecipients(values, options);
      return await inTurn(() => importBatches(ledger, campaign.id, batches, null));
    } finally {
      await handle.close();
    }
  }
}

function checkAdding(campaign: Campaign): void {
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

function createTurns() {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(work: () => Promise<T>): Promise<T> => {
    const mine = last.then(work, work);
    last = mine.catch(() => undefined);
    return mine;
  };
}

function mapOf({ map, phone, name, timezone, state, agent }: Input): ColumnMap {
  const named = Object.entries({ phone, name, timezone, state, agent }).filter(
    ([, column]) => column !== undefined,
  );
  try {
    return { ...(map === undefined ? {} : parseMap(map)), ...Object.fromEntries(named) };
  } catch (error) {
    return asColumnFault(error);
  }
}

/** The command line's --map is the query here. */
function asColumnFault(error: unknown): never {
  if (error instanceof CarillonError && error.code === 'usage-invalid') {
    throw new CarillonError('request-invalid', error.message.replace(/^--map/, 'map:'), {
      remedy: 'Give a header row, and say which column is which with ?phone=COL&name=COL&timezone=COL.',
    });
  }
  throw error;
}
