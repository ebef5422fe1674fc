import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { describe, expect } from 'vitest';
import { type Desk, openDesk, people, summaryOf } from '../support/carillon.ts';
import { startCollector, type ToldSpan, valuesOf } from '../support/otlp.ts';
import { startReceiver } from '../support/receiver.ts';
import { canUseRedis } from '../support/redis.ts';
import { until } from '../support/until.ts';
import { it } from './desk.ts';

/** What a collector is told by the processes of a user who loads OpenTelemetry's SDK, and by those of one who does not. */
const setUp = fileURLToPath(new URL('../../ops/opentelemetry/otel.mjs', import.meta.url));
const takesHeader = JSON.stringify({
  extends: 'standard',
  create: { headers: { traceparent: '{traceparent}' } },
});
const caller = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };
const traceparent = `00-${caller.traceId}-${caller.spanId}-01`;

type Collector = Awaited<ReturnType<typeof startCollector>>;

const withSdk = (collector: Collector) => ({
  NODE_OPTIONS: `--import ${setUp}`,
  OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  OTEL_METRIC_EXPORT_INTERVAL: '200',
  OTEL_BSP_SCHEDULE_DELAY: '100',
});

const traceOf = (attempt: string) => attempt.replaceAll('-', '');
/** The span of which an attempt's are parts. */
const wholeOf = (attempt: string) => ({ traceId: traceOf(attempt), spanId: traceOf(attempt).slice(16) });

/** A process that answers, with a client that reads JSON and the text of /metrics. */
async function openServer(desk: Desk, args: string[], env: Record<string, string>) {
  const server = desk.start(args, { PORT: '0', ...env });
  let text = '';
  server.child.stdout!.on('data', (chunk) => {
    text += chunk;
  });
  await server.prints(/Carillon listens on http:\/\/127\.0\.0\.1:\d+/);
  const url = /Carillon listens on (http:\S+)/.exec(text)![1]!;
  return {
    async ask(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
      const response = await fetch(url + path, {
        method,
        headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const answer = await response.text();
      expect(response.status, answer).toBeLessThan(300);
      return path === '/metrics' ? answer : JSON.parse(answer);
    },
    async end() {
      server.child.kill('SIGTERM');
      await server.ended;
    },
  };
}

/** An API and two workers, each its own process, one of which makes calls and the other follows them. */
async function openOffice(desk: Desk, env: Record<string, string>) {
  const api = await openServer(desk, ['api'], env);
  const dialer = desk.start(['worker', '--only', 'planner,dialer'], env);
  const tracker = desk.start(['worker', '--only', 'tracker,refresher,notifier,reconciler'], env);
  return {
    ask: api.ask,
    async end() {
      for (const { child } of [dialer, tracker]) child.kill('SIGTERM');
      await Promise.all([dialer.ended, tracker.ended, api.end()]);
    },
  };
}

type Office = Pick<Awaited<ReturnType<typeof openServer>>, 'ask'>;

/** The call, once it is over, with its attempts. */
async function overOf(office: Office, id: string, state = 'done') {
  type Shown = { state: string; attempt: string; outcome: string };
  const ask = (): Promise<Shown> => office.ask('GET', `/api/calls/${id}`);
  return until(ask, (call) => call.state === state);
}

function partsOf(spans: readonly ToldSpan[], attempt: string) {
  return spans.filter(({ traceId }) => traceId === traceOf(attempt));
}

describe.each(['postgres', 'redis'] as const)('OpenTelemetry on the %s engine', (engine) => {
  it.skipIf(engine === 'redis' && !canUseRedis)(
    'an attempt is one trace over all processes, and what comes before and after is linked',
    async () => {
      const desk = await openDesk(engine, {
        speed: 600,
        phones: { '+14155550001': ['no-answer', 'answered'] },
      });
      const collector = await startCollector();
      const receiver = await startReceiver();
      desk.write('profile.json', takesHeader);
      const env = { VOICE_PROFILE: 'profile.json', WEBHOOK_ALLOW_PRIVATE: '1', ...withSdk(collector) };
      const office = await openOffice(desk, env);
      try {
        const hook = await office.ask('POST', '/api/webhooks', { url: `${receiver.url}/very/secret` });
        const body = {
          agent: 'agent_1',
          phone: '+14155550123',
          name: 'Ann Example',
          variables: { code: 'Zx81-plain' },
        };
        const call = await office.ask('POST', '/api/calls', body, { traceparent });
        await office.ask('POST', '/api/campaigns', {
          name: 'twice',
          agent: 'agent_1',
          max_attempts: 2,
          retry: 'no-answer=1s',
        });
        await office.ask('POST', '/api/campaigns/twice/recipients', [
          { phone: '+14155550001', name: 'Bea Example' },
        ]);
        await office.ask('POST', '/api/campaigns/twice/start', {});
        const over = await overOf(office, call.id);
        await until(
          () => office.ask('GET', '/api/campaigns/twice/attempts'),
          ({ items }: { items: { state: string }[] }) =>
            items.filter(({ state }) => state === 'done').length === 2,
        );
        const ends = () => receiver.taken.filter(({ event }) => event.type === 'attempt.done').length;
        await until(ends, (count) => count === 3);
        await until(
          () => office.ask('GET', '/api/calls?campaign=twice'),
          ({ items }: { items: { state: string }[] }) => items[0]?.state === 'done',
        );
        const { items } = await office.ask('GET', '/api/campaigns/twice/attempts');
        await office.end();

        const attempt = over.attempt as string;
        const parts = partsOf(collector.spans, attempt);
        const whole = wholeOf(attempt);
        const [root, ...others] = parts.filter(({ parentSpanId }) => !parentSpanId);
        expect(others).toEqual([]);
        expect(root).toMatchObject({ name: 'attempt', ...whole, links: [caller] });
        expect(root!.attributes).toMatchObject({ 'carillon.outcome': over.outcome, 'carillon.key': 'main' });
        const below = (id: string) => parts.filter(({ parentSpanId }) => parentSpanId === id);
        const namesBelow = (name: string) =>
          below(parts.find((part) => part.name === name)!.spanId).map((part) => part.name);
        expect([...new Set(below(whole.spanId).map(({ name }) => name))].sort()).toEqual([
          'dial attempt',
          'plan attempt',
          'poll call',
        ]);
        expect(namesBelow('dial attempt')).toEqual([
          'load attempt',
          'take token',
          'open attempt',
          'POST /v1/call',
          'record answer',
        ]);
        const polls = parts.filter(({ name }) => name === 'poll call');
        expect(
          polls.every(({ spanId }) => below(spanId).some(({ name }) => name === 'GET /v1/call/{call}')),
        ).toBe(true);
        expect(
          polls.filter(({ spanId }) => below(spanId).some(({ name }) => name === 'settle attempt')),
        ).toHaveLength(1);
        // Every span has its parent, and they come from the dialer's process and the tracker's.
        const ids = new Set(parts.map(({ spanId }) => spanId));
        expect(parts.filter(({ parentSpanId }) => parentSpanId && !ids.has(parentSpanId))).toEqual([]);
        expect(new Set(parts.map(({ pid }) => pid)).size).toBe(2);

        // The service is told the span that asks it; nobody else is.
        const create = parts.find(({ name }) => name === 'POST /v1/call')!;
        expect(create).toMatchObject({
          kind: 3,
          attributes: {
            'http.request.method': 'POST',
            'server.address': '127.0.0.1',
            'http.response.status_code': 201,
          },
        });
        const sent = [...desk.sim.journal()].filter((entry) => entry.traceparent);
        expect(sent.find(({ phone }) => phone === '+14155550123')!.traceparent).toBe(
          `00-${create.traceId}-${create.spanId}-01`,
        );
        expect(sent.map(({ method }) => method)).toEqual(['POST', 'POST', 'POST']);

        // A retry is an attempt of its own, which names the one before it.
        const [first, second] = items.map(({ id }: { id: string }) => id);
        const rootOf = (id: string) => partsOf(collector.spans, id).find(({ name }) => name === 'attempt')!;
        expect(rootOf(first).links).toEqual([]);
        expect(rootOf(second).links).toMatchObject([wholeOf(first)]);

        // What follows an attempt has a trace of its own, with a link.
        const deliveries = collector
          .named('deliver event')
          .filter((span) => span.attributes['carillon.event.type'] === 'attempt.done');
        expect(deliveries.map(({ links }) => links[0]!.traceId).sort()).toEqual(
          [attempt, first, second].map(traceOf).sort(),
        );
        expect(deliveries.every(({ parentSpanId }) => !parentSpanId)).toBe(true);
        expect(hook.url).toContain('secret');

        // Nothing about a person, and no secret.
        const privates = ['14155550123', '14155550001', 'Ann', 'Bea', 'Example', 'Zx81', 'very/secret'];
        const found = [...privates, hook.secret, 'sk_test_of_the_desk'].filter((text) =>
          collector.text().includes(text),
        );
        expect(found).toEqual([]);
      } finally {
        await office.end();
        await desk.close();
        await collector.close();
        await receiver.leave();
      }
    },
  );
});

it('an attempt in doubt ends as an error, and so does the request that nobody answered', async () => {
  const desk = await openDesk('postgres', {
    faults: [{ kind: 'reset', on: 'create', when: 'after' }],
  });
  const collector = await startCollector();
  const office = await openOffice(desk, withSdk(collector));
  try {
    const call = await office.ask(
      'POST',
      '/api/calls',
      { agent: 'agent_1', phone: '+14155550123' },
      { traceparent },
    );
    const doubt = await overOf(office, call.id, 'unknown');
    await office.end();
    const parts = partsOf(collector.spans, doubt.attempt);
    const failed = parts.filter(({ status }) => status.code === 2);
    expect(failed.map(({ name, attributes }) => [name, attributes['error.type']]).sort()).toEqual([
      ['POST /v1/call', 'lost'],
      ['attempt', 'lost'],
    ]);
    expect(failed.find(({ name }) => name === 'attempt')!.attributes['carillon.outcome']).toBe('unknown');
    // The description does not say that the service takes the header.
    expect([...desk.sim.journal()].filter((entry) => entry.traceparent)).toEqual([]);
  } finally {
    await office.end();
    await desk.close();
    await collector.close();
  }
});

it('without an SDK nothing is told, and the service hears of the span that ordered the call', async ({
  openDesk,
}) => {
  const desk = await openDesk('postgres', { speed: 600 });
  desk.write('profile.json', takesHeader);
  const office = await openOffice(desk, { VOICE_PROFILE: 'profile.json' });
  const order = (phone: string, header: string) =>
    office.ask('POST', '/api/calls', { agent: 'agent_1', phone }, { traceparent: header });
  try {
    const calls = [
      await order('+14155550123', traceparent),
      // Neither is a span, so there is nothing to hand on.
      await order('+14155550124', 'Robert'),
      await order('+14155550125', `00-${'0'.repeat(32)}-${caller.spanId}-01`),
    ];
    for (const { id } of calls) await overOf(office, id);
    const sent = [...desk.sim.journal()].filter((entry) => entry.traceparent);
    expect(sent.map((entry) => [entry.method, entry.phone, entry.traceparent])).toEqual([
      ['POST', '+14155550123', traceparent],
    ]);
  } finally {
    await office.end();
  }
});

/** An SDK with a processor of spans that throws, as a file to load. */
function brokenSdk(at: 'onStart' | 'onEnd'): string {
  const from = createRequire(import.meta.url).resolve('@opentelemetry/sdk-trace-node');
  return `import sdk from ${JSON.stringify(from)};
const none = { onStart() {}, onEnd() {}, forceFlush: async () => {}, shutdown: async () => {} };
const broken = { ...none, ${at}() { throw new Error('the processor is broken'); } };
new sdk.NodeTracerProvider({ spanProcessors: [broken] }).register();`;
}

it.for(['onStart', 'onEnd'] as const)(
  'a campaign ends as it does without an SDK where a processor throws at %s',
  async (at, { openDesk }) => {
    const desk = await openDesk('postgres', {
      speed: 600,
      phones: { '+14155550001': ['no-answer', 'answered'], '+14155550002': ['busy', 'voicemail'] },
    });
    desk.write('broken.mjs', brokenSdk(at));
    desk.write('people.csv', 'phone,name\n+14155550001,Ann\n+14155550002,Bea\n');
    const args = ['run', 'people.csv', '--agent', 'agent_1', '--yes', '--json'];
    const more = ['--max-attempts', '2', '--retry', 'no-answer=1s,busy=1s'];
    const ended = await desk.run([...args, ...more], {
      NODE_OPTIONS: `--import ${desk.folder}/broken.mjs`,
    });
    expect([ended.code, ended.stderr]).toEqual([0, expect.not.stringContaining('the processor is broken')]);
    expect(summaryOf(ended)).toMatchObject({ done: 2, unknown: 0, attempts: 4 });
    expect(Object.fromEntries(desk.created())).toEqual({ '+14155550001': 2, '+14155550002': 2 });
  },
);

it.each([
  ['parentbased_traceidratio', '0.5', [10, 50]],
  ['traceidratio', '0.5', [10, 50]],
  ['parentbased_always_off', '', [0, 0]],
])('the sampler %s %s tells its share of 60 attempts, each whole', async (sampler, share, [least, most]) => {
  const desk = await openDesk('postgres', { speed: 600 });
  const collector = await startCollector();
  desk.write('people.csv', people(60));
  try {
    const args = ['run', 'people.csv', '--agent', 'agent_1', '--yes', '--json'];
    const sampling = { OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: share };
    const ended = await desk.run(args, { ...withSdk(collector), ...sampling });
    expect(summaryOf(ended).done).toBe(60);
    const tracesOf = (name: string) =>
      [...new Set(collector.named(name).map(({ traceId }) => traceId))].sort();
    const told = tracesOf('attempt');
    for (const name of ['plan attempt', 'dial attempt', 'poll call']) expect(tracesOf(name)).toEqual(told);
    // Fewer than 10 or more than 50 of 60 come once in ten million.
    expect(told.length).toBeGreaterThanOrEqual(least!);
    expect(told.length).toBeLessThanOrEqual(most!);
  } finally {
    await desk.close();
    await collector.close();
  }
});

it('figures are those of /metrics, under the same names', async () => {
  const desk = await openDesk('postgres', { speed: 600 });
  const collector = await startCollector();
  const up = await openServer(desk, ['up'], withSdk(collector));
  try {
    const call = await up.ask('POST', '/api/calls', { agent: 'agent_1', phone: '+14155550123' });
    await overOf(up, call.id);
    const seen = () => shownIn(collector.figures());
    const scraped = async () => readScrape(await up.ask('GET', '/metrics'));
    // What changes with time alone is left out.
    const still = (figures: Map<string, number>) =>
      [...figures].filter(([name]) => !/age_seconds|ahead|since_timestamp/.test(name)).sort();
    // A figure may change between the two looks.
    const differ = async () => {
      const [told, shown] = [still(seen()), still(await scraped())];
      return {
        missing: shown.filter(([name, value]) => seen().get(name) !== value),
        more: told.length - shown.length,
      };
    };
    await until(differ, ({ missing, more }) => missing.length === 0 && more === 0);
    const names = [...seen().keys()].map((name) => name.split('{')[0]);
    for (const name of [
      'carillon_calls_total',
      'carillon_requests_total',
      'carillon_dial_delay_seconds_count',
      'carillon_key_state',
    ])
      expect(names).toContain(name);
  } finally {
    await up.end();
    await desk.close();
    await collector.close();
  }
});

/** The samples of Carillon's own families, as Prometheus writes them, without a histogram's buckets. */
function readScrape(text: string): Map<string, number> {
  const lines = text.split('\n').filter((line) => line.startsWith('carillon_') && !line.includes('_bucket{'));
  return new Map(
    lines.map((line) => [
      line.slice(0, line.lastIndexOf(' ')),
      Number(line.slice(line.lastIndexOf(' ') + 1)),
    ]),
  );
}

/** The last point that was told of each, in the same form. */
// biome-ignore lint/suspicious/noExplicitAny: the bodies of OTLP.
function shownIn(figures: readonly any[]): Map<string, number> {
  const latest = new Map(
    figures.filter(({ name }) => name.startsWith('carillon_')).map((each) => [each.name, each]),
  );
  const shown = new Map<string, number>();
  for (const { name, sum, gauge, histogram } of latest.values()) {
    for (const point of (sum ?? gauge ?? histogram).dataPoints) {
      const labels = Object.entries(valuesOf(point.attributes)).map(
        ([label, value]) => `${label}="${value}"`,
      );
      const set = labels.length > 0 ? `{${labels.join()}}` : '';
      if (histogram) {
        shown.set(`${name}_sum${set}`, point.sum);
        shown.set(`${name}_count${set}`, Number(point.count));
      } else shown.set(`${name}${set}`, Number(point.asDouble ?? point.asInt));
    }
  }
  return shown;
}
