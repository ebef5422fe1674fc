import { systemClock } from '../../base/clock.ts';
import { type Config, rateOf } from '../../base/config.ts';
import { forecastList } from '../../control/campaigns/forecast.ts';
import { checkEnd } from '../../control/order/end.ts';
import { readPolicyFile } from '../../control/policies/file.ts';
import { checkService, restLine } from '../../control/preflight.ts';
import type { KeyPace } from '../../rules/forecast/forecast.ts';
import { type Policy, readPolicy } from '../../rules/policy/policy.ts';
import { type Calendar, compileCalendar } from '../../rules/time/calendar.ts';
import { nothingToDial, type RowsRead, readRows } from '../../run/import.ts';
import type { VoiceClient } from '../../voice/client.ts';
import { createClients } from '../../voice/clients.ts';
import { loadProfile } from '../../voice/profile.ts';
import type { Cli } from '../cli.ts';
import { forecastWords } from '../output/forecast-words.ts';
import { policyLines } from '../output/policy-words.ts';
import { describeRun } from '../output/run-words.ts';
import { drySummary, type Summary, summaryLines } from '../output/summary.ts';
import { watchSignals } from '../signals.ts';
import { checkFiles, openList, type RunOrder, summedUp } from './run-input.ts';

/** For a key whose rate is still to be learned. */
const firstRate = 1;

/** A dry run makes every check and counts the rows. It stores and dials nothing. */
export async function runDry(cli: Cli, run: RunOrder): Promise<void> {
  const began = performance.now();
  const seconds = () => (performance.now() - began) / 1_000;
  await checkFiles(run);
  checkEnd(run.order, systemClock.now());
  const config = cli.config();
  const policy = await policyOf(cli, config);
  const calendar = compileCalendar(run.order.times, policy);
  const clients = createClients(config, loadProfile(config.voice.profilePath));
  const signals = watchSignals();
  const read: RowsRead = { accepted: 0, rejected: 0 };
  const summary = (requests: number) => drySummary(run.name, read, requests, seconds());
  try {
    await summedUp(
      cli,
      run,
      () => summary(0),
      async () => {
        const places = new Map<string, number>();
        const examples = await readList(cli, run, read, calendar, places, signals.signal);
        const requests = await askService(cli, run, clients, signals.signal);
        if (run.json) cli.json(summary(requests));
        else
          tell(
            cli,
            run,
            policy,
            summary(requests),
            examples,
            foretell(config, run, { calendar, policy, people: places }),
          );
      },
    );
  } finally {
    signals.stop();
    await Promise.all([...clients.values()].map((client) => client.close()));
  }
}

/** A file of contact rules would be in force when the run dials; without one, the ledger's rules are. */
async function policyOf(cli: Cli, config: Config): Promise<Policy | null> {
  if (config.policyPath !== undefined) return readPolicy(readPolicyFile(config.policyPath).body);
  // Loaded now: without a ledger neither its code nor its server is needed.
  const { policyInForce } = await import('../policy-in-force.ts');
  return policyInForce(config, cli.log('silent'));
}

/** How long the whole list would take, by what is usual: a dry run reads nothing of other campaigns. */
function foretell(
  config: Config,
  { order }: RunOrder,
  list: { calendar: Calendar | null; policy: Policy | null; people: ReadonlyMap<string, number> },
): string {
  const keys = config.voice.keys.map(({ name }): KeyPace => {
    const rate = rateOf(config, name);
    const fixed = rate !== 'auto';
    return {
      rate: fixed ? rate : firstRate,
      sure: fixed ? 1 : null,
      maxCalls: config.voice.maxCalls ?? null,
    };
  });
  const now = systemClock.now();
  const { calendar, people, policy } = list;
  const gapSeconds = policy?.gapSeconds ?? null;
  return forecastWords(forecastList({ now, order, calendar, gapSeconds, people, keys }), now);
}

/** Answers the first few rejected rows, with their reasons, and counts the others by place. */
async function readList(
  cli: Cli,
  run: RunOrder,
  read: RowsRead,
  calendar: Calendar | null,
  places: Map<string, number>,
  signal: AbortSignal,
): Promise<string[]> {
  const intake = await openList(cli, run, () => calendar, signal);
  const examples: string[] = [];
  try {
    if (intake.hint) cli.note(intake.hint);
    for await (const batch of readRows(intake, read, signal)) {
      for (const { place } of batch.accepted) places.set(place, (places.get(place) ?? 0) + 1);
      for (const row of batch.rejected.slice(0, 5 - examples.length))
        examples.push(`  line ${row.row}: ${row.reason}`);
    }
  } finally {
    await intake.close();
  }
  if (read.accepted === 0) throw nothingToDial(run.file, read.rejected, examples[0]);
  return examples;
}

/** Its requests take tokens as those of a run do. Answers how many there were. */
async function askService(
  cli: Cli,
  run: RunOrder,
  clients: ReadonlyMap<string, VoiceClient>,
  signal: AbortSignal,
): Promise<number> {
  // Loaded now: reading a long list needs neither queue nor database.
  const { withTokens } = await import('../tokens.ts');
  return withTokens(cli.config(), cli.log('silent'), async (take) => {
    const token = async (key: string) => {
      for (let waits = 0; !signal.aborted; waits++) {
        const taken = await take(key, signal);
        if (taken.ok) return !signal.aborted;
        if (waits === 0 && !signal.aborted) cli.note(restLine(key, taken.restMs));
        await systemClock.sleep(taken.restMs, signal);
      }
      return false;
    };
    const { requests } = await checkService(clients, run.order.callers, token, signal);
    return requests;
  });
}

function tell(
  cli: Cli,
  run: RunOrder,
  policy: Policy | null,
  summary: Summary,
  examples: readonly string[],
  forecast: string,
): void {
  const { rejected } = summary;
  cli.out(`Dry run of ${run.name}: ${describeRun(run)}.`);
  for (const line of policyLines(policy)) cli.out(line);
  for (const line of summaryLines(summary)) cli.out(line);
  if (examples.length > 0) {
    cli.out(`Rejected rows${rejected > examples.length ? `, the first ${examples.length}` : ''}:`);
    for (const line of examples) cli.out(line);
  }
  cli.out(`Forecast: ${forecast}.`);
  const but = rejected === 0 ? '' : rejected === 1 ? ', except for that row' : ', except for those rows';
  cli.out(`Every check passed${but}. Nothing was stored and nobody was called.`);
}
