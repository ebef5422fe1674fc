import { writeFileSync } from 'node:fs';
import pg from 'pg';
import type { Journal } from '../../support/independent.ts';

/** The governor's belief, four times a second, next to what the service allowed and counted since. */
export type Watcher = { stop(): Promise<Sample[]> };

type Sample = { at: number; lane: string; version: number; belief: unknown; rate: number; rests: number };

const everyMs = 250;

/** Reads the belief from the engine's Postgres, where the governor keeps it for all its processes. */
export async function watchBelief(databaseUrl: string): Promise<Watcher> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const samples: Sample[] = [];
  const stop = new AbortController();
  const read = async () => {
    const { rows } = await client.query<Omit<Sample, 'at'>>(
      `SELECT lane, version, value AS belief, rate, greatest(rest_until - carillon_engine.now_ms(), 0) AS rests
         FROM carillon_engine.memory LEFT JOIN carillon_engine.bucket USING (lane) ORDER BY lane`,
    );
    for (const row of rows) samples.push({ at: Date.now(), ...row });
  };
  const watching = (async () => {
    while (!stop.signal.aborted) {
      // There is nothing to read before the program has created its tables.
      await read().catch(() => undefined);
      await new Promise((done) => setTimeout(done, everyMs));
    }
  })();
  return {
    async stop() {
      if (stop.signal.aborted) return samples;
      stop.abort();
      await watching;
      await client.end();
      return samples;
    },
  };
}

/** One line per sample: seconds after the first create, the service's truth, what it saw since, and the belief. */
export function writeTrace(path: string, journal: Journal, samples: readonly Sample[]): void {
  let last = Number.NEGATIVE_INFINITY;
  const lines = samples.map(({ at, ...belief }) => {
    const t = at - (journal.beganAt ?? at);
    const seen = journal.requests.filter((request) => request.at > last && request.at <= t);
    const count = (isCreate: boolean, isBusy: boolean) =>
      seen.filter(({ kind, status }) => (kind === 'create') === isCreate && (status === 429) === isBusy)
        .length;
    last = Math.max(last, t);
    const truth = {
      rate: journal.rates.findLast(({ from }) => from <= t)?.rate ?? null,
      calls: journal.calls.filter(({ from, to }) => from <= t && to > t).length,
      strangers: journal.strangers.filter((each) => each > t - everyMs && each <= t).length,
    };
    const counted = {
      creates: count(true, false),
      polls: count(false, false),
      creates_429: count(true, true),
      polls_429: count(false, true),
    };
    return JSON.stringify({ t: Math.round(t) / 1_000, truth, counted, ...belief });
  });
  writeFileSync(path, `${lines.join('\n')}\n`);
}
