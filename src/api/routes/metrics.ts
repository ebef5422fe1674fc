import type { FastifyInstance } from 'fastify';
import { refreshLanes } from '../../control/keys.ts';
import type { View } from '../../lane/governor.ts';
import { laneStates } from '../../ledger/lanes/verbs.ts';
import type { ApiParts } from '../parts.ts';

/**
 * `/metrics` in the text form that Prometheus reads. Everything comes from ledger and queue, which all processes
 * share: one scrape of one API covers all workers. It needs a token like the rest, because it names campaigns.
 */
type Labels = Readonly<Record<string, string>>;
type Sample = { labels: Labels; value: number | null };

export function addMetrics(server: FastifyInstance, { app, stations }: ApiParts): void {
  const { ledger, baseUrl } = app;

  server.get('/metrics', async (_request, reply) => {
    const [lanes, live, campaigns] = await Promise.all([
      ledger.lanes.list(),
      ledger.reports.live(baseUrl),
      ledger.campaigns.states(baseUrl),
      refreshLanes(stations.lanes()),
    ]);
    const views = stations
      .lanes()
      .map(({ name, governor }) => ({ labels: { key: name }, view: governor.view() }));
    const ofDesks = (read: (view: View) => number | null): Sample[] =>
      views.map(({ labels, view }) => ({ labels, value: read(view) }));
    const text = [
      gauge(
        'carillon_key_state',
        '1 for the state in which a key is: open, failing, out_of_credit or denied.',
        lanes.flatMap(({ name, state }) =>
          laneStates.map((each) => ({ labels: { key: name, state: each }, value: each === state ? 1 : 0 })),
        ),
      ),
      gauge(
        'carillon_key_attempts',
        'Attempts under way on a key, by state.',
        lanes.flatMap(({ name, planned, parked, calling }) =>
          Object.entries({ planned, parked, calling }).map(([state, value]) => ({
            labels: { key: name, state },
            value,
          })),
        ),
      ),
      gauge(
        'carillon_key_rate',
        'Requests a second that a key is allowed, fixed or learned.',
        ofDesks((view) => view.rate),
      ),
      gauge(
        'carillon_key_limit',
        'The believed limit of the service, in requests a second.',
        ofDesks((view) => view.limit),
      ),
      gauge(
        'carillon_key_limit_sure',
        'How sure the belief is, from 0 to 1.',
        ofDesks((view) => view.sure),
      ),
      gauge(
        'carillon_key_limit_since_timestamp_seconds',
        'When the belief began.',
        ofDesks((view) => view.since / 1_000),
      ),
      gauge(
        'carillon_key_window_seconds',
        'The window in which the service counts, if its refusals show one.',
        ofDesks((view) => seconds(view.windowMs)),
      ),
      gauge(
        'carillon_key_max_calls',
        'The believed limit of calls at once.',
        ofDesks((view) => view.cap),
      ),
      gauge(
        'carillon_key_probing',
        '1 while the service refuses a key and single requests probe whether it still does.',
        ofDesks((view) => (view.probing ? 1 : 0)),
      ),
      gauge(
        'carillon_campaigns',
        'Campaigns by state.',
        campaigns.map(({ state, count }) => ({ labels: { state }, value: count })),
      ),
      gauge(
        'carillon_attempts',
        'Attempts that have not ended, by campaign and state; unknown ones wait for a person.',
        live.map(({ campaign, state, count }) => ({ labels: { campaign, state }, value: count })),
      ),
    ].join('');
    return reply.type('text/plain; version=0.0.4; charset=utf-8').send(text);
  });
}

function seconds(ms: number | null): number | null {
  return ms === null ? null : ms / 1_000;
}

/** An unknown value has no sample. */
function gauge(name: string, help: string, samples: readonly Sample[]): string {
  const known = samples.filter(({ value }) => value !== null);
  if (known.length === 0) return '';
  const lines = known.map(({ labels, value }) => `${name}{${tell(labels)}} ${value}`);
  return `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${lines.join('\n')}\n`;
}

function tell(labels: Labels): string {
  return Object.entries(labels)
    .map(
      ([name, value]) =>
        `${name}="${value.replace(/[\\"\n]/g, (sign) => (sign === '\n' ? '\\n' : `\\${sign}`))}"`,
    )
    .join(',');
}
