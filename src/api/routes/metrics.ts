import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { App } from '../../app.ts';
import type { Stoppable } from '../../base/lifecycle.ts';
import { tellGauges } from '../../base/metrics/meter-bridge.ts';
import { refreshLanes } from '../../control/keys/list.ts';
import type { View } from '../../lane/limit-view.ts';
import { laneStates } from '../../ledger/lanes/lanes.ts';
import { alertCodes, alertKinds } from '../../rules/alert-kinds.ts';
import type { ApiParts } from '../route.ts';
import { type Route, raw, routesOf } from '../route.ts';

/**
 * `/metrics` in the text form that Prometheus reads. Gauges come from ledger and queue, which all processes share; the
 * counters are this process's own work. It needs a token like the rest, because it names campaigns.
 */
type Sample = { labels: Readonly<Record<string, string>>; value: number | null };
type Read = Awaited<ReturnType<ReturnType<typeof createReader>>>;
type Family = { name: string; help: string; labels: string[]; samples(read: Read): Sample[] };

const { get } = routesOf('operations');

export const metricRoutes: Route[] = [
  get('/metrics', 'getMetrics', {
    role: 'read',
    summary: 'Metrics in the text form that Prometheus reads.',
    answers: { 200: raw('text/plain', 'carillon_campaigns{state="running"} 1\n') },
    handle: async ({ reply }, parts) => {
      const { type, text } = await scraperOf(parts)();
      return reply.type(type).send(text);
    },
  }),
];

type Scraper = () => Promise<{ type: string; text: string }>;

/** One per server. */
const scrapers = new WeakMap<ApiParts, Scraper>();
function scraperOf(parts: ApiParts): Scraper {
  const known = scrapers.get(parts) ?? createScraper(parts);
  scrapers.set(parts, known);
  return known;
}

function createScraper(parts: ApiParts): Scraper {
  const registry = new Registry();
  const read = createReader(parts);
  /** The reading of the current scrape: it serves all its families. */
  let latest: Promise<Read>;

  for (const { name, help, labels, samples } of families) {
    new Gauge({
      name,
      help,
      labelNames: labels,
      registers: [registry],
      async collect() {
        const found = samples(await latest);
        this.reset();
        // An unknown value has no sample.
        for (const { labels, value } of found) if (value !== null) this.set(labels, value);
      },
    });
  }

  return async () => {
    latest = read();
    const text = `${await registry.metrics()}\n${await processMetrics(parts.app)}`;
    return { type: registry.contentType, text };
  };
}

function createReader({ app, stations }: ApiParts) {
  const { ledger, baseUrl } = app;
  return async () => {
    const [lanes, live, campaigns, alerts] = await Promise.all([
      ledger.lanes.list(),
      ledger.reports.live(baseUrl),
      ledger.campaigns.states(baseUrl),
      ledger.alerts.list(),
      refreshLanes(stations.lanes()),
    ]);
    const views = stations.lanes().map(({ name, governor }) => ({ key: name, view: governor.view() }));
    return { lanes, live, campaigns, alerts, views };
  };
}

/** The same gauges for OpenTelemetry, where an SDK is loaded. */
export function tellShared(parts: ApiParts): Stoppable {
  return tellGauges(families, createReader(parts));
}

let own: Registry | undefined;

/** Figures that one process has by itself: its counters, and its memory, CPU and event loop. */
export async function processMetrics({ meters }: Pick<App, 'meters'>): Promise<string> {
  return `${await ownMetrics().metrics()}\n${meters.text()}`;
}

/** This process's memory, CPU and event loop. Created once per process, because nothing ends what observes them. */
function ownMetrics(): Registry {
  if (!own) {
    own = new Registry();
    collectDefaultMetrics({ register: own });
    // These gauges have the names of counters; the same figures by type stay.
    for (const what of ['handles', 'requests', 'resources'])
      own.removeSingleMetric(`nodejs_active_${what}_total`);
  }
  return own;
}

function ofViews(read: (view: View) => number | null): Pick<Family, 'labels' | 'samples'> {
  return {
    labels: ['key'],
    samples: ({ views }) => views.map(({ key, view }) => ({ labels: { key }, value: read(view) })),
  };
}

const families: Family[] = [
  {
    name: 'carillon_key_state',
    help: '1 for the state in which a key is: open, failing, out_of_credit or denied.',
    labels: ['key', 'state'],
    samples: ({ lanes }) =>
      lanes.flatMap(({ name, state }) =>
        laneStates.map((each) => ({ labels: { key: name, state: each }, value: each === state ? 1 : 0 })),
      ),
  },
  {
    name: 'carillon_key_attempts',
    help: 'Attempts under way on a key, by state.',
    labels: ['key', 'state'],
    samples: ({ lanes }) =>
      lanes.flatMap(({ name, planned, parked, calling }) =>
        Object.entries({ planned, parked, calling }).map(([state, value]) => ({
          labels: { key: name, state },
          value,
        })),
      ),
  },
  {
    name: 'carillon_key_rate',
    help: 'Requests a second that a key is allowed, fixed or learned.',
    ...ofViews((view) => view.rate),
  },
  {
    name: 'carillon_key_limit',
    help: 'The believed limit of the service, in requests a second.',
    ...ofViews((view) => view.limit),
  },
  {
    name: 'carillon_key_limit_sure',
    help: 'How sure the belief is, from 0 to 1.',
    ...ofViews((view) => view.sure),
  },
  {
    name: 'carillon_key_limit_since_timestamp_seconds',
    help: 'When the belief began.',
    ...ofViews((view) => view.since / 1_000),
  },
  {
    name: 'carillon_key_window_seconds',
    help: 'The window in which the service counts, if its refusals show one.',
    ...ofViews((view) => (view.windowMs === null ? null : view.windowMs / 1_000)),
  },
  {
    name: 'carillon_key_max_calls',
    help: 'The believed limit of calls at once.',
    ...ofViews((view) => view.cap),
  },
  {
    name: 'carillon_key_probing',
    help: '1 while the service refuses a key and single requests probe whether it still does.',
    ...ofViews((view) => (view.probing ? 1 : 0)),
  },
  {
    name: 'carillon_alert',
    help: 'How many alerts of a code are raised; 0 when none is.',
    labels: ['code', 'severity'],
    samples: ({ alerts }) =>
      alertCodes.map((code) => ({
        labels: { code, severity: alertKinds[code].severity },
        value: alerts.filter((alert) => alert.code === code).length,
      })),
  },
  {
    name: 'carillon_campaigns',
    help: 'Campaigns by state.',
    labels: ['state'],
    samples: ({ campaigns }) => campaigns.map(({ state, count }) => ({ labels: { state }, value: count })),
  },
  {
    name: 'carillon_attempts',
    help: 'Attempts that have not ended, by campaign and state; unknown ones wait for a person.',
    labels: ['campaign', 'state'],
    samples: ({ live }) =>
      live.map(({ campaign, state, count }) => ({ labels: { campaign, state }, value: count })),
  },
];
