import { systemClock } from '../../../base/clock.ts';
import type { Config } from '../../../base/config/config.ts';
import { createKeyRing } from '../../../base/config/key-ring.ts';
import { accountOf, maxCallsOf, rateOf } from '../../../base/config/of-key.ts';
import { forecastList, type ShownForecast, withMoney } from '../../../control/campaigns/forecast.ts';
import { isOpen, speedOf, stopOf } from '../../../control/campaigns/forecast-keys.ts';
import { countPlaces, readTrial, type TriedList } from '../../../control/imports/try.ts';
import { readPolicyFile } from '../../../control/policies/set.ts';
import { checkOverride } from '../../../control/service/access.ts';
import { checkService, keyLines, type Preflight, restLine } from '../../../control/service/preflight.ts';
import { createDialPermit, driftLine } from '../../../dispatch/trust/dial-permit.ts';
import { createSameKeys } from '../../../dispatch/trust/same-keys.ts';
import type { PeopleList } from '../../../intake/list.ts';
import type { Campaign } from '../../../ledger/campaigns/campaigns.ts';
import type { LaneRow } from '../../../ledger/lanes/lanes.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import type { Standing } from '../../../ledger/reports/reports.ts';
import { type Calendar, compileCalendar } from '../../../rules/calendar/calendar.ts';
import type { KeyPace } from '../../../rules/forecast/forecast.ts';
import type { Policy } from '../../../rules/policy/policy.ts';
import { nothingToDial, type RowsRead, readRows } from '../../../run/files.ts';
import { checkRun, resuming } from '../../../run/prepare.ts';
import { addressLines } from '../../../voice/address.ts';
import type { VoiceClient } from '../../../voice/client.ts';
import { createClients, requireService } from '../../../voice/clients.ts';
import { loadService } from '../../../voice/load-service.ts';
import { overrideFault } from '../../../voice/person-fields.ts';
import type { Cli } from '../../command-io.ts';
import { forecastWords } from '../../output/outlook-words.ts';
import {
  beginSummary,
  readSummary,
  rejectWords,
  type Summary,
  skipWords,
  summaryLines,
} from '../../output/summary.ts';
import { watchSignals } from '../../terminal/signals.ts';
import { checkFiles, modeOf, openFile, type RunOrder, summedUp } from './input.ts';
import {
  busyLine,
  changedLine,
  describeRun,
  openingLine,
  passedLine,
  policyLines,
  remarks,
} from './words.ts';

/** The rate of a key whose limit is not learned yet. */
const firstRate = 1;

/** A dry run makes every check and reports how the run would begin. It stores and dials nothing. */
export async function runDry(cli: Cli, run: RunOrder): Promise<void> {
  const began = performance.now();
  const seconds = () => (performance.now() - began) / 1_000;
  const config = cli.config();
  const baseUrl = requireService(config);
  await checkFiles(run, config);
  const described = loadService(config.voice.service, config.voice.profilePath);
  const { description } = described;
  checkOverride({ overrideFault: (given) => overrideFault(description, given) }, run.order.override);
  const clients = createClients(config, description);
  const file = config.policyPath === undefined ? null : readPolicyFile(config.policyPath, true);
  const signals = watchSignals();
  const { signal } = signals;
  const read: RowsRead = { accepted: 0, rejected: 0, passed: 0 };
  let calendar = () => compileCalendar(run.order.times, file?.policy ?? null, config.voice.queueMs);
  const work = async () => {
    const list = await openFile(cli, run, () => calendar(), signal);
    try {
      // Loaded here, so that a wrong file is reported sooner.
      const { withLedgerIfAny } = await import('../../ledger-address.ts');
      await withLedgerIfAny(config, cli.log('silent'), file, async (ledger) => {
        if (ledger) calendar = () => ledger.calendarOf(run.order.times);
        const deps = {
          ledger,
          home: config.home,
          baseUrl,
          clock: systemClock,
          described,
        };
        const { existing, asked } = await checkRun(deps, run, () => {
          for (const line of addressLines(config)) cli.note(line);
          return askService(cli, run, clients, signal);
        });
        const { keys, requests } = asked;
        const begin = await lookAhead({ run, existing, ledger, opened: list, read, signal });
        const doubts = [
          ...keyLines(keys),
          ...(ledger ? await fitnessLines(cli, config, ledger) : []),
          ...(existing?.runLives && existing.driver === 'run' ? [busyLine(run.name)] : []),
        ];
        for (const line of doubts) cli.note(line);
        const { balance } = begin.told;
        const whole = { ...balance, requests: balance.requests + requests };
        const summary = beginSummary(run.name, whole, seconds());
        const policy = ledger ? ledger.policyInForce() : (file?.policy ?? null);
        const rules = { calendar: calendar(), policy, doubts: doubts.length };
        const waits = resuming(begin.existing, run.order).waits;
        const told =
          begin.places.size > 0 && !waits
            ? foretell(config, run, rules, begin, speedOf(clients.values()))
            : null;
        const forecast =
          told && ledger
            ? await withMoney(ledger.budgets, told, run.order, begin.existing?.id ?? null)
            : told;
        if (run.json) cli.json({ ...summary, rejects: begin.told.rejects, forecast });
        tell(cli, run, begin, summary, rules, forecast);
      });
    } finally {
      await list.close();
    }
  };
  try {
    await summedUp(cli, run, () => readSummary(run.name, read, seconds()), work);
  } finally {
    signals.stop();
    await Promise.all([...clients.values()].map((client) => client.close()));
  }
}

type Begin = {
  /** The campaign that it would resume. */
  existing: Campaign | null;
  standing: Standing | null;
  told: TriedList;
  /** People of the list who would be called, by place. */
  places: ReadonlyMap<string, number>;
  /** How many further numbers of its people are not called. */
  passed: number;
  lanes: readonly LaneRow[];
};

type Ahead = {
  run: RunOrder;
  existing: Campaign | null;
  ledger: Ledger | null;
  opened: PeopleList;
  read: RowsRead;
  signal: AbortSignal;
};

/** What would become of the list in the ledger. */
async function lookAhead({ run, existing, ledger, opened, read, signal }: Ahead): Promise<Begin> {
  const places = new Map<string, number>();
  const onto = {
    campaign: existing,
    order: run.order,
    mode: modeOf(run, opened),
    onKnown: 'replace' as const,
  };
  const list = { csv: opened.csv, batches: readRows(opened, read, signal) };
  const told = await readTrial(ledger, onto, list, (called) => countPlaces(called, places));
  if (told.balance.rows === told.rejected) {
    const [first] = told.rejects;
    throw nothingToDial(run.file, told.rejected, first && lineOf(first));
  }
  const standing = existing && ledger ? await ledger.reports.standing(existing.id) : null;
  return {
    existing,
    standing,
    told,
    places,
    passed: read.passed,
    lanes: ledger ? await ledger.lanes.list() : [],
  };
}

/** How long the calls would take, by the usual values: a dry run reads nothing about other campaigns. */
function foretell(
  config: Config,
  { order }: RunOrder,
  { calendar, policy }: Rules,
  { places: people, lanes }: Begin,
  speed: number,
): ShownForecast {
  const open = config.voice.keys.filter((key) => isOpen(lanes, key));
  const keys = open.map(({ name }): KeyPace => {
    const rate = rateOf(config, name);
    const fixed = rate !== 'auto';
    const account = accountOf(config, name);
    const sharing = account ? open.filter((key) => account.includes(key.name)).length : 1;
    const calls = maxCallsOf(config, name);
    return {
      rate: (fixed ? rate : firstRate) / sharing,
      sure: fixed ? 1 : null,
      maxCalls: calls && calls.most - calls.inbound,
    };
  });
  const now = systemClock.now();
  const gapSeconds = policy?.gapSeconds ?? null;
  const stop = stopOf(lanes, config.voice.keys);
  return forecastList({ now, order, calendar, gapSeconds, people, keys, stop, speed });
}

/** Its requests take tokens as a run's do. */
async function askService(
  cli: Cli,
  run: RunOrder,
  clients: ReadonlyMap<string, VoiceClient>,
  signal: AbortSignal,
): Promise<Preflight> {
  // Loaded here: reading a long list needs neither queue nor database.
  const { withPacedKeys } = await import('../../ledger-address.ts');
  return withPacedKeys(cli.config(), cli.log('silent'), async (take) => {
    const token = async (key: string) => {
      for (let waits = 0; !signal.aborted; waits++) {
        const taken = await take(key, signal);
        if (taken.ok) return !signal.aborted;
        if (waits === 0 && !signal.aborted) cli.note(restLine(key, taken.restMs));
        await systemClock.sleep(taken.restMs, signal);
      }
      return false;
    };
    return checkService(clients, run.order, token, signal);
  });
}

/** Why this process, as it is set up, would not dial. */
async function fitnessLines(cli: Cli, config: Config, ledger: Ledger): Promise<string[]> {
  const clock = systemClock;
  const log = cli.log('silent');
  const keyRing = createKeyRing(config, clock, log);
  const sameKeys = createSameKeys({ processes: ledger.processes, config, keyRing, dialer: 'a dry run' });
  const permit = createDialPermit({ ledger, file: null, sameKeys, clock, log });
  await permit.refresh();
  const trouble = permit.trouble();
  if (trouble) return [`${trouble.message}: nothing would be dialled. ${trouble.remedy}`];
  const drift = driftLine(permit.aheadMs());
  return drift === null ? [] : [drift];
}

/**
 * `doubts` counts the lines printed about keys that the service did not accept, and about what keeps this process from
 * dialling.
 */
type Rules = { calendar: Calendar | null; policy: Policy | null; doubts: number };

function tell(
  cli: Cli,
  run: RunOrder,
  begin: Begin,
  summary: Summary,
  rules: Rules,
  forecast: ShownForecast | null,
): void {
  const { existing, standing, told } = begin;
  const { rejected, rejects, skips, hint } = told;
  const passed = passedLine(begin.passed);
  const { changed, waits } = resuming(existing, run.order);
  if (hint) cli.note(hint);
  if (run.json) return;
  const pending = summary.waiting + summary.parked;
  const takenBack = standing?.counts.queued ?? 0;
  cli.out(
    existing
      ? `Dry run. ${openingLine(run, existing, { changed, takenBack, pending, done: summary.done })}`
      : `Dry run of ${run.name}: ${describeRun(run)}.`,
  );
  if (told.changed > 0) cli.out(changedLine(told.changed));
  if (passed) cli.out(passed);
  if (pending > 0) for (const line of policyLines(rules.policy)) cli.out(line);
  for (const line of summaryLines(summary)) cli.out(line);
  if (skips.length > 0) cli.out(`Skipped: ${skipWords(skips)}`);
  if (rejected > 0) {
    cli.out(`Rejected: ${rejectWords(told)}${rejected > mostShown ? `; the first ${mostShown}` : ''}:`);
    for (const row of rejects.slice(0, mostShown)) cli.out(`  ${lineOf(row)}`);
  }
  if (standing) {
    const ending = { kind: waits ? ('first' as const) : ('done' as const) };
    for (const line of remarks(ending, summary, standing, run)) cli.out(line);
  }
  if (forecast) cli.out(`Forecast: ${forecastWords(forecast, systemClock.now())}.`);
  const except = [
    ...(rules.doubts > 0 ? ['the warnings above'] : []),
    ...(rejected > 0 ? [rejected === 1 ? 'that row' : 'those rows'] : []),
  ];
  const but = except.length > 0 ? `, except for ${except.join(' and ')}` : '';
  cli.out(`Every check passed${but}. Nothing was stored and nobody was called.`);
}

const mostShown = 5;
const lineOf = ({ row, reason }: TriedList['rejects'][number]) => `line ${row}: ${reason}`;
