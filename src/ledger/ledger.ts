import type { Log } from '../base/log.ts';
import type { Seal } from '../base/seal.ts';
import { createCalendars } from '../rules/calendar/calendar.ts';
import { createActivity } from './activity/activity.ts';
import { createAgeCounts } from './age-counts/age-counts.ts';
import { createAlertAddresses } from './alert-addresses/alert-addresses.ts';
import { createAlerts } from './alerts/alerts.ts';
import { createAttempts } from './attempts/attempts.ts';
import { createJobs } from './attempts/jobs.ts';
import { createImports } from './background/background.ts';
import { createBudgets } from './budgets/budgets.ts';
import { createBulkActs } from './bulk/bulk.ts';
import { createCallerNumbers } from './caller-numbers/caller-numbers.ts';
import { createCalls } from './calls/calls.ts';
import { createCampaigns } from './campaigns/campaigns.ts';
import { type Database, openDatabase, type TransactionLength } from './database.ts';
import { createErasures } from './erasures/erasures.ts';
import { createEvents } from './events/events.ts';
import { createExchanges } from './exchanges/exchanges.ts';
import { createHangUps } from './hang-ups/hang-ups.ts';
import { createIdempotency } from './idempotency/idempotency.ts';
import { createJudgements } from './judgements/judgements.ts';
import { createLanes } from './lanes/lanes.ts';
import { createLostHistory } from './lost-history/lost-history.ts';
import { createPeople } from './people/people.ts';
import { createPolicies } from './policies/policies.ts';
import { createProcesses } from './processes/processes.ts';
import { createRefreshes } from './refreshes/refreshes.ts';
import { createReports } from './reports/reports.ts';
import { createSearch } from './search/search.ts';
import { createSeries } from './series/series.ts';
import { isCurrent, serverOf } from './server/inspect.ts';
import { createSuppressions } from './suppressions/suppressions.ts';
import { createTallies } from './tallies/tallies.ts';
import { createTokens } from './tokens/tokens.ts';
import { createUnknowns } from './unknowns/unknowns.ts';
import { createViews } from './views/views.ts';
import { createWebhooks } from './webhooks/webhooks.ts';

/** The ledger: the only place where a state changes. */
export type Ledger = ReturnType<typeof ledgerOn>;
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
export function ledgerOn(db: Database, baseUrl: string, seal?: () => Seal, queueMs = 0) {
  const verbs = verbsOf(db, baseUrl, seal);
  const { now: policyInForce } = verbs.policies;
  return {
    ...verbs,
    name: 'ledger' as const,
    db,
    /** Only here: a transaction moves no attempts, and would pay for their batches each time. */
    attempts: createAttempts(db),
    /**
     * Verbs in one transaction: their changes and the record of them are all stored, or none. After a lost deadlock
     * `work` runs again.
     */
    together: <T>(work: (verbs: Together) => Promise<T>, length: TransactionLength = 'quick'): Promise<T> =>
      db.together((within) => work(verbsOf(within, baseUrl, seal)), length),
    policyInForce,
    /** The hours that an order and the policy in force allow. */
    calendarOf: createCalendars(policyInForce, queueMs),
    /** A short name that no other ledger has: not even a copy of this one on another server, or in another database. */
    async mark(): Promise<string> {
      const [row] = await db.query('server/mark');
      return row!.mark as string;
    },
    /** The key for digests of phones that are kept outside the ledger. */
    async phoneKey(): Promise<string> {
      const [row] = await db.query('server/phone_key');
      return row!.key as string;
    },
    /** Problems of its server, each one line with what to do. */
    findings: async () => (await serverOf(db)).findings,
    /** The same with the server's version. */
    server: () => serverOf(db),
    ping: db.ping,
    close: db.close,
  };
}

/** Every noun of the ledger with its verbs, on a pool or in one transaction. */
export function verbsOf(db: Database, baseUrl: string, seal?: () => Seal) {
  return {
    /** The service whose calls it keeps for this process. */
    baseUrl,
    activity: createActivity(db),
    ageCounts: createAgeCounts(db, baseUrl),
    alertAddresses: createAlertAddresses(db),
    alerts: createAlerts(db, baseUrl),
    budgets: createBudgets(db, baseUrl),
    bulk: createBulkActs(db, baseUrl),
    callerNumbers: createCallerNumbers(db, baseUrl),
    calls: createCalls(db),
    campaigns: createCampaigns(db),
    erasures: createErasures(db, seal),
    events: createEvents(db),
    exchanges: createExchanges(db),
    hangUps: createHangUps(db),
    idempotency: createIdempotency(db),
    imports: createImports(db),
    jobs: createJobs(db, baseUrl),
    judgements: createJudgements(db),
    lanes: createLanes(db, baseUrl),
    lostHistory: createLostHistory(db),
    people: createPeople(db),
    policies: createPolicies(db),
    processes: createProcesses(db, baseUrl),
    refreshes: createRefreshes(db, baseUrl),
    reports: createReports(db),
    search: createSearch(db),
    series: createSeries(db, baseUrl),
    suppressions: createSuppressions(db),
    tallies: createTallies(db),
    tokens: createTokens(db),
    unknowns: createUnknowns(db, baseUrl),
    views: createViews(db),
    webhooks: createWebhooks(db),
  };
}
