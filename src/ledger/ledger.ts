import type { Log } from '../base/log.ts';
import type { Seal } from '../base/seal.ts';
import { type CalendarOf, createCalendars } from '../rules/calendar/calendars.ts';
import type { PolicyInForce } from '../rules/policy/policy.ts';
import { type Activity, createActivity } from './activity/activity.ts';
import { type AgeCountsVerbs, createAgeCounts } from './age-counts/age-counts.ts';
import { type AlertAddresses, createAlertAddresses } from './alert-addresses/alert-addresses.ts';
import { type Alerts, createAlerts } from './alerts/alerts.ts';
import { type Attempts, createAttempts } from './attempts/attempts.ts';
import { createJobs, type Jobs } from './attempts/jobs.ts';
import { createImports, type Imports } from './background/background.ts';
import { type Budgets, createBudgets } from './budgets/budgets.ts';
import { type BulkActs, createBulkActs } from './bulk/bulk.ts';
import { type CallerNumbers, createCallerNumbers } from './caller-numbers/caller-numbers.ts';
import { type Calls, createCalls } from './calls/calls.ts';
import { type Campaigns, createCampaigns } from './campaigns/campaigns.ts';
import { type Database, openDatabase, type TransactionLength } from './database.ts';
import { createErasures, type Erasures } from './erasures/erasures.ts';
import { createEvents, type Events } from './events/events.ts';
import { createExchanges, type Exchanges } from './exchanges/exchanges.ts';
import { createHangUps, type HangUps } from './hang-ups/hang-ups.ts';
import { createIdempotency, type Idempotency } from './idempotency/idempotency.ts';
import { createJudgements, type Judgements } from './judgements/judgements.ts';
import { createLanes, type Lanes } from './lanes/lanes.ts';
import { createLostHistory, type LostHistory } from './lost-history/lost-history.ts';
import { createPeople, type People } from './people/people.ts';
import { createPolicies, type Policies } from './policies/policies.ts';
import { createProcesses, type Processes } from './processes/processes.ts';
import { createRefreshes, type Refreshes } from './refreshes/refreshes.ts';
import { createReports, type Reports } from './reports/reports.ts';
import { createSearch, type Search } from './search/search.ts';
import { createSeries, type Series } from './series/series.ts';
import { isCurrent, serverOf } from './server/inspect.ts';
import { createSuppressions, type Suppressions } from './suppressions/suppressions.ts';
import { createTallies, type Tallies } from './tallies/tallies.ts';
import { createTokens, type Tokens } from './tokens/tokens.ts';
import { createUnknowns, type Unknowns } from './unknowns/unknowns.ts';
import { createViews, type Views } from './views/views.ts';
import { createWebhooks, type Webhooks } from './webhooks/webhooks.ts';

/** The ledger: the only place where a state changes. */
export type Ledger = {
  name: 'ledger';
  db: Database;
  /** The service whose calls it keeps for this process. */
  baseUrl: string;
  campaigns: Campaigns;
  calls: Calls;
  people: People;
  imports: Imports;
  bulk: BulkActs;
  attempts: Attempts;
  budgets: Budgets;
  jobs: Jobs;
  hangUps: HangUps;
  lanes: Lanes;
  callerNumbers: CallerNumbers;
  suppressions: Suppressions;
  erasures: Erasures;
  unknowns: Unknowns;
  judgements: Judgements;
  refreshes: Refreshes;
  ageCounts: AgeCountsVerbs;
  lostHistory: LostHistory;
  idempotency: Idempotency;
  reports: Reports;
  search: Search;
  policies: Policies;
  events: Events;
  exchanges: Exchanges;
  alerts: Alerts;
  alertAddresses: AlertAddresses;
  processes: Processes;
  series: Series;
  tallies: Tallies;
  tokens: Tokens;
  views: Views;
  activity: Activity;
  /**
   * Verbs in one transaction: their changes and the record of them are all stored, or none. After a lost deadlock
   * `work` runs again.
   */
  together<T>(work: (verbs: Together) => Promise<T>, of?: TransactionLength): Promise<T>;
  webhooks: Webhooks;
  policyInForce: PolicyInForce;
  /** The hours that an order and the policy in force allow. */
  calendarOf: CalendarOf;
  /** A short name that no other ledger has: not even a copy of this one on another server, or in another database. */
  mark(): Promise<string>;
  /** The key for digests of phones that are kept outside the ledger. */
  phoneKey(): Promise<string>;
  /** Problems of its server, each one line with what to do. */
  findings(): Promise<string[]>;
  /** The same with the server's version. */
  server(): Promise<{ version: string; findings: string[] }>;
  ping(): Promise<void>;
  close(): Promise<void>;
};

export type Together = ReturnType<typeof verbsOf>;

/** Opens the ledger at `url` for the service at `baseUrl`, and brings its schema up to date. */
export async function openLedger(
  url: string,
  baseUrl: string,
  log?: Log,
  max?: number,
  seal?: () => Seal,
  queueMs = 0,
): Promise<Ledger> {
  const db = openDatabase(url, { log, max });
  try {
    // The migration runner is slow to load, and almost every start finds the schema up to date.
    if (!(await isCurrent(db))) await (await import('./migrate.ts')).migrate(url, log);
  } catch (error) {
    await db.close();
    throw error;
  }
  return ledgerOn(db, baseUrl, seal, queueMs);
}

/**
 * The ledger of a database whose schema exists. `queueMs`: how much later than it was asked to the service may dial.
 */
export function ledgerOn(db: Database, baseUrl: string, seal?: () => Seal, queueMs = 0): Ledger {
  const policies = createPolicies(db);
  const erasures = createErasures(db, seal);
  return {
    name: 'ledger',
    db,
    baseUrl,
    campaigns: createCampaigns(db),
    calls: createCalls(db),
    people: createPeople(db),
    imports: createImports(db),
    bulk: createBulkActs(db, baseUrl),
    attempts: createAttempts(db),
    budgets: createBudgets(db, baseUrl),
    jobs: createJobs(db, baseUrl),
    alerts: createAlerts(db, baseUrl),
    alertAddresses: createAlertAddresses(db),
    hangUps: createHangUps(db),
    lanes: createLanes(db, baseUrl),
    callerNumbers: createCallerNumbers(db, baseUrl),
    suppressions: createSuppressions(db),
    erasures,
    unknowns: createUnknowns(db, baseUrl),
    judgements: createJudgements(db),
    views: createViews(db),
    refreshes: createRefreshes(db, baseUrl),
    ageCounts: createAgeCounts(db, baseUrl),
    lostHistory: createLostHistory(db),
    idempotency: createIdempotency(db),
    reports: createReports(db),
    search: createSearch(db),
    policies,
    events: createEvents(db),
    exchanges: createExchanges(db),
    series: createSeries(db, baseUrl),
    processes: createProcesses(db, baseUrl),
    tallies: createTallies(db),
    tokens: createTokens(db),
    activity: createActivity(db),
    together: (work, length = 'quick') =>
      db.together((within) => work(verbsOf(within, baseUrl, seal)), length),
    webhooks: createWebhooks(db),
    policyInForce: policies.now,
    calendarOf: createCalendars(policies.now, queueMs),
    async mark() {
      const [row] = await db.query('server/mark');
      return row!.mark as string;
    },
    async phoneKey() {
      const [row] = await db.query('server/phone_key');
      return row!.key as string;
    },
    findings: async () => (await serverOf(db)).findings,
    server: () => serverOf(db),
    ping: db.ping,
    close: db.close,
  };
}

/** The verbs of one transaction. */
export function verbsOf(db: Database, baseUrl: string, seal?: () => Seal) {
  return {
    baseUrl,
    series: createSeries(db, baseUrl),
    calls: createCalls(db),
    campaigns: createCampaigns(db),
    people: createPeople(db),
    reports: createReports(db),
    search: createSearch(db),
    suppressions: createSuppressions(db),
    erasures: createErasures(db, seal),
    policies: createPolicies(db),
    tokens: createTokens(db),
    views: createViews(db),
    activity: createActivity(db),
    judgements: createJudgements(db),
    lostHistory: createLostHistory(db),
    webhooks: createWebhooks(db),
    alertAddresses: createAlertAddresses(db),
    bulk: createBulkActs(db, baseUrl),
    events: createEvents(db),
    idempotency: createIdempotency(db),
    processes: createProcesses(db, baseUrl),
    callerNumbers: createCallerNumbers(db, baseUrl),
    budgets: createBudgets(db, baseUrl),
    lanes: createLanes(db, baseUrl),
  };
}
