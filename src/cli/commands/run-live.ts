import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline/promises';
import { startWorkers } from '../../../workers/all.ts';
import type { App } from '../../app.ts';
import { systemClock } from '../../base/clock.ts';
import { CarillonError, errorLine } from '../../base/errors.ts';
import { createLifecycle } from '../../base/lifecycle.ts';
import { describeOrder } from '../../control/order/tell.ts';
import { rejectedPath, writeRejected } from '../../export/rejected.ts';
import { formatOf, writeResults } from '../../export/results.ts';
import { checkTarget } from '../../export/target.ts';
import { type Intake, openCsv } from '../../intake/csv.ts';
import type { Campaign } from '../../ledger/campaigns/verbs.ts';
import type { Imported } from '../../ledger/people/verbs.ts';
import { drive, type Ending } from '../../run/drive.ts';
import type { RunLock } from '../../run/lock.ts';
import { watchWindow } from '../../run/opening.ts';
import { checkKeys, prepareCampaign } from '../../run/prepare.ts';
import type { Cli } from '../cli.ts';
import { createProgress } from '../output/progress.ts';
import { exitOf, openingLine, remarks } from '../output/run-words.ts';
import { count, summaryLines, summaryOf } from '../output/summary.ts';
import { watchSignals } from '../signals.ts';
import { nothingToDial, type RunOrder, sourceOf } from './run-input.ts';

/** A run that dials: prepare, import, ask, drive, write. Whatever ends it, what is known is written and said. */
export async function runLive(cli: Cli, run: RunOrder): Promise<void> {
  const signals = watchSignals();
  try {
    await checkTarget(run.out);
    await checkTarget(rejectedPath(run.out));
    // The file's head is read first: a wrong file costs neither a ledger nor a request.
    const intake = await openCsv(sourceOf(cli, run.file), {
      ...run,
      timezone: run.order.timezone ?? undefined,
      hours: run.order.hours,
      now: systemClock.now(),
    });
    try {
      await cli.withApp(async (app) => {
        const say = (line: string) => (run.json ? cli.note(line) : cli.out(line));
        const requests = await checkKeys(app, run.order.callers);
        const { campaign, runLock, resumed, changed } = await prepareCampaign(app, run);
        try {
          await app.ledger.campaigns.countRequests(campaign.id, requests);
          const imported = await importAll(app, campaign, intake, signals.signal);
          const { people, pending, done } = await countPeople(app, campaign, imported);
          await refuseEmpty(app, run, campaign, people, imported.rejected);
          say(openingLine(run, resumed, changed, pending, done));
          if (imported.rejected > 0)
            say(
              `${count(imported.rejected)} ${imported.rejected === 1 ? 'row' : 'rows'} rejected: see ${rejectedPath(run.out)}`,
            );
          if (pending > 0 && !(await confirm(cli, run, pending))) {
            await app.ledger.campaigns.rest(
              campaign.id,
              campaign.runId ?? randomUUID(),
              'paused',
              'not confirmed',
            );
            say('Nothing was dialled. Start it again when you are ready.');
            cli.exit(130);
            return;
          }
          await dialAndTell(cli, app, run, campaign, runLock, signals.signal, say);
        } finally {
          await runLock.release();
        }
      });
    } finally {
      await intake.close();
    }
  } finally {
    signals.stop();
  }
}

/** All of the file or nothing: a broken file, or Ctrl-C, leaves the campaign as it was. */
async function importAll(
  app: App,
  campaign: Campaign,
  intake: Intake,
  signal: AbortSignal,
): Promise<Imported> {
  const { phone, name, timezone } = intake.mapping;
  const batches = async function* () {
    for await (const batch of intake.batches) {
      if (signal.aborted)
        throw new CarillonError('interrupted', 'Interrupted while the file was read; nobody was called');
      yield batch;
    }
  };
  try {
    return await app.ledger.people.import(campaign.id, batches(), {
      columns: intake.columns,
      mapped: [phone, name, timezone].filter((column) => column !== null),
      mode: 'whole',
    });
  } catch (error) {
    await app.ledger.campaigns.forget(campaign.id);
    throw error;
  }
}

async function dialAndTell(
  cli: Cli,
  app: App,
  run: RunOrder,
  campaign: Campaign,
  runLock: RunLock,
  signal: AbortSignal,
  say: (line: string) => void,
): Promise<void> {
  const began = performance.now();
  const ending = await dialAll(cli, app, run, campaign, runLock, signal);
  const written = await writeFiles(app, run, campaign).catch((error: unknown) => errorLine(error));
  const standing = await app.ledger.reports.standing(campaign.id);
  const summary = summaryOf(standing, (performance.now() - began) / 1_000);
  cli.exit(exitOf(ending, summary) || (typeof written === 'string' ? 1 : 0));
  if (run.json) cli.json(summary);
  else for (const line of summaryLines(summary)) cli.out(line);
  // The ledger has them all: what the disk refused now, `campaign export` writes later.
  if (typeof written === 'string') cli.note(`carillon: ${written}`);
  else say(resultsLine(run, written));
  for (const line of remarks(ending, summary, run)) say(line);
}

async function dialAll(
  cli: Cli,
  app: App,
  run: RunOrder,
  campaign: Campaign,
  runLock: RunLock,
  signal: AbortSignal,
): Promise<Ending> {
  const { ledger, clock, log } = app;
  const runId = randomUUID();
  if (!(await ledger.campaigns.take(campaign.id, runId))) return { kind: 'canceled' };
  await ledger.campaigns.unpark(campaign.id);
  await ledger.lanes.probeNow();
  const { made } = await ledger.attempts.calls(campaign.id);
  const callCap = run.mostCalls === null ? null : made + run.mostCalls;
  const stations = app.stations(
    { dialer: app.dialer, campaignId: campaign.id, runId },
    { callCap, asksOnce: run.on402 === 'exit' },
  );
  await stations.queues.clear(app.lanes.map((lane) => lane.bucket));
  const crew = createLifecycle();
  for (const worker of startWorkers(stations, { engine: app.engine, clock, log, rounds: app.rounds }))
    crew.add(worker);
  const window = await watchWindow(app, campaign.id);
  const progress = createProgress({
    screen: run.json ? cli.io.stderr : cli.io.stdout,
    now: () => clock.now(),
    limits: () => limitsOf(app),
    window,
  });
  let ending: Ending = { kind: 'interrupted' };
  try {
    ending = await drive({
      ledger,
      campaignId: campaign.id,
      runId,
      runLock,
      lanes: app.lanes.map((lane) => lane.id),
      on402: run.on402,
      callCap,
      signal,
      clock,
      log,
      show: (look) => progress.show(look),
    });
    return ending;
  } finally {
    progress.end();
    const late = await crew.stop(app.config.voice.timeoutMs + 2_000);
    if (late.length > 0) log.warn({ late }, 'not everything stopped in time');
    if (ending.kind !== 'ousted') await layDown(app, campaign, runId, ending);
    await stations.queues.clear(app.lanes.map((lane) => lane.bucket));
  }
}

/** The campaign rests: what was planned waits again, or is parked when there was no credit. */
async function layDown(app: App, campaign: Campaign, runId: string, ending: Ending): Promise<void> {
  const { campaigns, attempts } = app.ledger;
  if (ending.kind === 'stuck' && ending.why === 'parked') {
    await campaigns.parkRest(campaign.id, ending.words ?? 'insufficient credits');
  } else {
    await attempts.release(campaign.id, 'the run ended');
  }
  const isDone = ending.kind === 'done';
  await campaigns.rest(campaign.id, runId, isDone ? 'done' : 'paused', isDone ? null : reasonOf(ending));
}

function reasonOf(ending: Ending): string {
  if (ending.kind === 'stuck') return `${ending.why}${ending.words ? `: ${ending.words}` : ''}`;
  return ending.kind === 'limit' ? 'the run’s limit was reached' : 'the run was interrupted';
}

type Written = { results: number; rejected: number };

function resultsLine({ out }: RunOrder, { results, rejected }: Written): string {
  const refused = rejected > 0 ? `, rejected: ${rejectedPath(out)} (${count(rejected)} rows)` : '';
  return `Results: ${out} (${count(results)} rows)${refused}`;
}

async function writeFiles(app: App, run: RunOrder, campaign: Campaign): Promise<Written> {
  const { columns } = await app.ledger.campaigns.get(campaign.id);
  const results = await writeResults(
    { path: run.out },
    formatOf(run.out),
    columns,
    app.ledger.reports.results(campaign.id),
  );
  const rejected = await writeRejected(
    { path: rejectedPath(run.out) },
    columns,
    app.ledger.reports.rejects(campaign.id),
  );
  return { results, rejected };
}

/** A list that was empty is not counted again: a million people take longer to count than to call the first. */
async function countPeople(
  app: App,
  campaign: Campaign,
  { accepted, rejected, waiting }: Imported,
): Promise<{ people: number; pending: number; done: number }> {
  if (waiting !== null) return { people: accepted, pending: waiting, done: 0 };
  const { rows, counts } = await app.ledger.reports.standing(campaign.id);
  const pending = counts.waiting + counts.queued + counts.parked;
  return { people: rows - rejected, pending, done: counts.done };
}

async function refuseEmpty(
  app: App,
  run: RunOrder,
  campaign: Campaign,
  people: number,
  rejected: number,
): Promise<void> {
  if (people > 0) return;
  let example: string | undefined;
  for await (const [first] of app.ledger.reports.rejects(campaign.id)) {
    example ??= first ? `line ${first.row}: ${first.reason}` : undefined;
    break;
  }
  const { columns } = await app.ledger.campaigns.get(campaign.id);
  await writeRejected({ path: rejectedPath(run.out) }, columns, app.ledger.reports.rejects(campaign.id));
  await app.ledger.campaigns.forget(campaign.id);
  throw nothingToDial(run.file, rejected, example);
}

async function confirm(cli: Cli, run: RunOrder, pending: number): Promise<boolean> {
  const { stdin, stderr } = cli.io;
  if (run.yes || run.file === '-' || !stdin.isTTY || !stderr.isTTY) return true;
  const [who, ...rest] = describeOrder(run.order);
  const asker = createInterface({ input: stdin, output: stderr });
  try {
    const answer = await asker.question(
      `Call ${count(pending)} people, ${[who, ...rest].join('; ')}? [y/N] `,
    );
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    asker.close();
  }
}

function limitsOf(app: App): { rate: number; learned: boolean } {
  const open = app.lanes.filter((lane) => lane.state !== 'denied');
  const limits = open.map((lane) => lane.governor.limit());
  return {
    rate: limits.reduce((sum, limit) => sum + limit.rate, 0),
    learned: limits.some((limit) => limit.learned),
  };
}
