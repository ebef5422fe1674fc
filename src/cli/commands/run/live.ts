import { randomUUID } from 'node:crypto';
import { partLoops, startWorkers } from '../../../../workers/loops.ts';
import type { App } from '../../../app.ts';
import { createReporter } from '../../../background/process-report.ts';
import { createNotify } from '../../../background/webhooks/notify.ts';
import { errorLine } from '../../../base/errors.ts';
import { createLifecycle } from '../../../base/lifecycle.ts';
import { startLoop } from '../../../base/loop.ts';
import { forecastCampaign } from '../../../control/campaigns/forecast.ts';
import { takeCampaign } from '../../../control/campaigns/moves.ts';
import { checkOverride } from '../../../control/service/access.ts';
import { checkKeys } from '../../../control/service/preflight.ts';
import { formatOf } from '../../../export/results.ts';
import { targetAt } from '../../../export/target.ts';
import type { PeopleList } from '../../../intake/list.ts';
import type { Campaign } from '../../../ledger/campaigns/campaigns.ts';
import type { Standing } from '../../../ledger/reports/reports.ts';
import { compileCalendar } from '../../../rules/calendar/calendar.ts';
import { drive, type Ending, layDown } from '../../../run/drive.ts';
import { countPeople, importFile, type RowsRead, refuseEmpty, writeFiles } from '../../../run/files.ts';
import { checkRun, prepareCampaign, type RunLock } from '../../../run/prepare.ts';
import { addressLines } from '../../../voice/address.ts';
import type { Cli } from '../../command-io.ts';
import { agrees } from '../../confirm.ts';
import { createOutlook } from '../../output/outlook.ts';
import { forecastWords } from '../../output/outlook-words.ts';
import { createProgress } from '../../output/progress.ts';
import {
  count,
  counted,
  optOutWarning,
  people,
  readSummary,
  type Summary,
  summaryLines,
  summaryOf,
} from '../../output/summary.ts';
import { watchSignals } from '../../terminal/signals.ts';
import { checkFiles, modeOf, openFile, type RunOrder, summedUp } from './input.ts';
import {
  changedLine,
  describeRun,
  exitOf,
  interruptedLines,
  openingLine,
  passedLine,
  policyLines,
  remarks,
  resultsLine,
} from './words.ts';

/** What ends a run, and how many people were on the phone at its last look. */
type Watched = { signal: AbortSignal; seen: { calling: number } };

const nothingRead: RowsRead = { accepted: 0, rejected: 0, passed: 0 };
/** How long a run's last events may take to reach webhooks; events for failing addresses are left to the workers. */
const settleMs = 5_000;

/** A run that dials: prepare, import, ask, drive, write. However it ends, it writes and reports what is known. */
export async function runLive(
  cli: Cli,
  run: RunOrder,
  /** Started next to the dialling, which does not wait for it. */
  beside: (app: App) => void = () => undefined,
): Promise<void> {
  const began = performance.now();
  const seconds = () => (performance.now() - began) / 1_000;
  const seen = { calling: 0 };
  const signals = watchSignals(cli.config().voice.keyFile === undefined, () => {
    for (const line of interruptedLines(seen.calling, run.again)) cli.note(line);
  });
  const { signal } = signals;
  try {
    await checkFiles(run, cli.config());
    // The file's head is read first: a wrong file must not cost a ledger or a request.
    const unread = () => readSummary(run.name, nothingRead, seconds());
    const { times } = run.order;
    let calendar = () => compileCalendar(times, null);
    const list = await summedUp(cli, run, unread, () => openFile(cli, run, () => calendar(), signal));
    try {
      await cli.withApp(async (app) => {
        calendar = () => app.ledger.calendarOf(times);
        const known = () => knownSummary(app, run, seconds());
        beside(app);
        await summedUp(cli, run, known, () => prepareAndDial(cli, app, run, list, { signal, seen }));
      });
    } finally {
      await list.close();
    }
  } finally {
    signals.stop();
  }
}

async function prepareAndDial(
  cli: Cli,
  app: App,
  run: RunOrder,
  list: PeopleList,
  { signal, seen }: Watched,
): Promise<void> {
  const say = (line: string) => (run.json ? cli.note(line) : cli.out(line));
  const { ledger, lanes, clock } = app;
  checkOverride(app.service({ note: cli.note }), run.order.override);
  const { asked: requests } = await checkRun(app, run, async () => {
    await app.permit.enforce();
    for (const line of addressLines(app.config)) cli.note(line);
    return checkKeys({ ledger, lanes, clock, note: cli.note, signal }, run.order);
  });
  const { campaign, runLock, resumed, changed, waits, takenBack } = await prepareCampaign(app, run);
  try {
    await ledger.campaigns.countRequests(campaign.id, requests);
    const imported = await importFile(ledger, campaign, list, modeOf(run, list), signal);
    const { people: all, pending, done } = await countPeople(ledger, campaign, imported);
    const files = { file: run.file, rejects: targetAt(run.rejects, app.config) };
    if (all === 0) await refuseEmpty(ledger, campaign, imported.rejected, files);
    const tell = run.quiet ? () => undefined : say;
    tell(openingLine(run, resumed, { changed, takenBack, pending, done }));
    if (pending > 0) for (const line of policyLines(ledger.policies.now())) tell(line);
    if (list.hint) cli.note(list.hint);
    if (imported.changed > 0) tell(changedLine(imported.changed));
    const passed = passedLine(imported.passed);
    if (passed) tell(passed);
    if (imported.rejected > 0) tell(`${counted(imported.rejected, 'row')} rejected: see ${run.rejects}`);
    if (pending > 0 && !waits && !(await confirm(cli, app, run, campaign, pending, signal))) {
      const why = signal.aborted ? 'the run was interrupted' : 'not confirmed';
      await ledger.campaigns.rest(campaign.id, campaign.runId ?? randomUUID(), 'paused', why);
      say('Nothing was dialled. Run it again when you are ready.');
      if (run.json) cli.json(await knownSummary(app, run, 0));
      cli.exit(130);
      return;
    }
    const dial = async (): Promise<Ending> =>
      waits ? { kind: 'first' } : dialAll(cli, app, run, campaign, runLock, { signal, seen });
    await dialAndTell(cli, app, run, campaign, dial, say);
  } finally {
    await runLock.release();
  }
}

/** The campaign as the ledger has it. If it has none of that name, an import was undone: no row counts. */
async function knownSummary(
  { ledger }: Pick<App, 'ledger'>,
  run: RunOrder,
  seconds: number,
): Promise<Summary> {
  const campaign = await ledger.campaigns.find(run.name);
  if (!campaign) return readSummary(run.name, nothingRead, seconds);
  return summaryOf(await ledger.reports.standing(campaign.id), seconds);
}

async function dialAndTell(
  cli: Cli,
  app: App,
  run: RunOrder,
  campaign: Campaign,
  dial: () => Promise<Ending>,
  say: (line: string) => void,
): Promise<void> {
  const began = performance.now();
  const ending = await dial();
  const now = app.clock.now();
  const at = (path: string) => targetAt(path, app.config);
  const files = {
    format: run.out === '-' ? ('csv' as const) : formatOf(run.out),
    results: run.out === '-' ? { stream: cli.io.stdout } : at(run.out),
    rejects: at(run.rejects),
    attempts: run.attempts === null ? null : at(run.attempts),
  };
  const written = await writeFiles(app.ledger, now, campaign, files).catch((error: unknown) =>
    errorLine(error),
  );
  const standing = await app.ledger.reports.standing(campaign.id);
  const summary = summaryOf(standing, (performance.now() - began) / 1_000);
  cli.exit(exitOf(ending, summary) || (typeof written === 'string' ? 1 : 0));
  if (run.json) cli.json(summary);
  else for (const line of summaryLines(summary)) cli.out(line);
  // The ledger has all results: `campaign export` can write later what the disk refused now.
  if (typeof written === 'string') cli.note(`carillon: ${written}`);
  else say(resultsLine(run, written));
  for (const line of remarks(ending, summary, standing, run)) say(line);
}

async function dialAll(
  cli: Cli,
  app: App,
  run: RunOrder,
  campaign: Campaign,
  runLock: RunLock,
  { signal, seen }: Watched,
): Promise<Ending> {
  const { ledger, clock, log, engine, rounds, keyRing } = app;
  const { id } = campaign;
  const runId = randomUUID();
  if (!(await takeCampaign(ledger, id, runId, run.mostCalls))) return { kind: 'canceled' };
  await ledger.lanes.probeNow();
  const stations = app.stations(
    { dialer: app.dialer, campaignId: id, runId },
    { asksOnce: run.on402 === 'exit' },
  );
  await stations.queues.clear(app.lanes.map((lane) => lane.bucket));
  const crew = createLifecycle(log);
  keyRing.watch();
  const reporter = createReporter({ ...app, isFit: stations.isFit }, ['run']);
  await reporter.report();
  await app.permit.join();
  for (const worker of startWorkers(stations, { engine, clock, log, rounds, keyRing, reporter }))
    crew.add(worker);
  const [notifier] = partLoops({ notify: createNotify(app), settleMs }).map((work) =>
    startLoop({ ...work, clock, log, rounds }),
  );
  const progress = createProgress({
    screen: run.json || run.out === '-' ? cli.io.stderr : cli.io.stdout,
    now: () => clock.now(),
    limits: () => limitsOf(app),
    outlook: createOutlook(app, id, run.mostCalls !== null),
  });
  cli.drawing(progress.clear);
  let warned = false;
  const warn = (seen: Standing['optOuts']) => {
    const words = optOutWarning(seen);
    if (words === null || warned) return;
    warned = true;
    cli.note(`Warning: ${words}.`);
  };
  let ending: Ending = { kind: 'interrupted' };
  try {
    ending = await drive({
      ledger,
      campaignId: campaign.id,
      runId,
      runLock,
      lanes: () => app.lanes.map((lane) => lane.id),
      on402: run.on402,
      lagSeconds: app.lanes[0]!.client.listing?.lagSeconds ?? null,
      signal,
      clock,
      log,
      show(look) {
        seen.calling = look.standing.counts.calling;
        warn(look.standing.optOuts);
        if (!run.quiet) progress.show(look);
      },
      completing() {
        if (!run.quiet)
          cli.note(
            'No more calls are made; the run waits up to 20 s for what the service adds to the last records.',
          );
      },
    });
    return ending;
  } finally {
    progress.end();
    cli.drawing(null);
    const late = await crew.stop(app.config.voice.timeoutMs + 2_000);
    if (late.length > 0) log.warn({ late }, 'not everything stopped in time');
    if (ending.kind !== 'ousted') await layDown(ledger, campaign, runId, ending);
    // The next run clears what is left; the summary and the results of this one do not depend on it.
    await stations.queues
      .clear(app.lanes.map((lane) => lane.bucket))
      .catch((error: unknown) => log.warn({ err: errorLine(error) }, 'the queue could not be cleared'));
    // Closed after the last event of the campaign.
    await notifier?.close();
  }
}

async function confirm(
  cli: Cli,
  app: App,
  run: RunOrder,
  campaign: Campaign,
  pending: number,
  signal: AbortSignal,
): Promise<boolean> {
  if (signal.aborted) return false;
  // A run can be resumed and stopped, so a script may start one without --yes.
  const { stdin, stderr } = cli.io;
  if (run.yes || run.file === '-' || !stderr.isTTY || !stdin.isTTY) return true;
  const most = Math.min(run.mostCalls ?? pending, run.order.first ?? pending);
  const whom = most < pending ? `${count(most)} of ${people(pending)}` : people(pending);
  if (most === pending) {
    const told = await forecastCampaign(app, campaign.id);
    cli.note(`Forecast: ${forecastWords(told, app.clock.now())}.`);
  }
  return agrees(cli, `Call ${whom}, ${describeRun(run)}?`, { signal });
}

function limitsOf(app: App): { rate: number; learned: boolean } {
  const open = app.lanes.filter((lane) => lane.state !== 'denied');
  // Keys of one account share one limit.
  const views = new Map(open.map(({ governor }) => [governor.tokens(), governor.view()]));
  const limits = [...views.values()];
  return {
    rate: limits.reduce((sum, limit) => sum + limit.rate, 0),
    learned: limits.some((limit) => limit.learned),
  };
}
