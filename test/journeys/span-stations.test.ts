import { context, propagation, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  type ReadableSpan,
  SamplingDecision,
  SimpleSpanProcessor,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-node';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { createSender } from '../../src/control/webhooks/send.ts';
import { type Hall, openHall, type Stage, zoneAt } from '../dispatch/support.ts';
import { person } from '../ledger/support.ts';
import { until } from '../support/until.ts';

/** What each station tells the SDK, in one process. */
const exporter = new InMemorySpanExporter();
const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
let hall: Hall;
beforeAll(async () => {
  provider.register();
  hall = await openHall();
});
beforeEach(() => exporter.reset());
afterAll(async () => {
  await hall.close();
  await provider.shutdown();
  // The next files in this process must find no SDK.
  for (const api of [trace, context, propagation]) api.disable();
});

const traceOf = (attempt: string) => attempt.replaceAll('-', '');
const named = (name: string) => exporter.getFinishedSpans().filter((span) => span.name === name);
const below = (span: ReadableSpan) =>
  exporter
    .getFinishedSpans()
    .filter(({ parentSpanContext }) => parentSpanContext?.spanId === span.spanContext().spanId)
    .map(({ name }) => name);

/** The one span of this name: it has a trace of its own, with a link to the attempt. */
function expectApart(name: string, attempt: string): ReadableSpan {
  const [span, ...others] = named(name);
  expect(others).toEqual([]);
  expect(span!.parentSpanContext).toBeUndefined();
  expect(span!.spanContext().traceId).not.toBe(traceOf(attempt));
  expect(span!.links.map(({ context }) => context.traceId)).toEqual([traceOf(attempt)]);
  return span!;
}

async function onCall(stage: Stage) {
  const campaign = await stage.campaign({ people: 1 });
  const id = await stage.planOne(campaign);
  expect(await stage.dial(id)).toEqual({ kind: 'done' });
  return { campaign, id };
}

const seldomWhole = { shares: { voicemail: 1 }, faults: [{ kind: 'late-record' as const, ms: 86_400_000 }] };

it('a record that is asked for again is a trace of its own', () =>
  hall.with({ simulator: seldomWhole }, async (stage) => {
    const { id } = await onCall(stage);
    await until(
      () => stage.track(id),
      (step) => step.kind === 'done',
    );
    exporter.reset();
    await hall.books.sql('update carillon.refreshes set due_at = now() where attempt_id = $1', [id]);
    await stage.stations.refresh();
    expect(below(expectApart('refresh record', id))).toEqual(['GET /v1/call/{call}']);
  }));

it('hanging up is a trace of its own', () =>
  hall.with({ simulator: { shares: { answered: 1 }, faults: [{ kind: 'endless' }] } }, async (stage) => {
    const { campaign, id } = await onCall(stage);
    await stage.ledger.hangUps.ofCampaigns([campaign]);
    await stage.stations.hangUp();
    expect(below(expectApart('hang up call', id))).toEqual(['PATCH /v1/call/{call}']);
  }));

it('a refusal ends the attempt and its request as errors, without the service’s words', () =>
  hall.with({}, async (stage) => {
    const campaign = await stage.campaign({ people: 1 });
    const id = await stage.planOne(campaign);
    const { phone } = await stage.attempt(id);
    stage.sim.control({ refused: [phone] });
    await stage.dial(id);
    const failed = exporter.getFinishedSpans().filter(({ status }) => status.code === SpanStatusCode.ERROR);
    expect(failed.map(({ name, attributes }) => [name, attributes['error.type']])).toEqual([
      ['POST /v1/call', '422'],
      ['attempt', 'refused'],
    ]);
    expect(failed.map(({ kind }) => kind)).toEqual([SpanKind.CLIENT, SpanKind.INTERNAL]);
    const all = exporter
      .getFinishedSpans()
      .map(({ name, attributes, events, status }) => ({ name, attributes, events, status }));
    expect(JSON.stringify(all)).not.toContain(phone.slice(1));
  }));

it('a request without a body, as of the heartbeat, is told as the GET that it is', () =>
  hall.with({}, async (stage) => {
    const sender = createSender({ url: stage.sim.url, secret: null, allowPrivate: true, clock: systemClock });
    expect(await sender.send({ id: '', body: null })).toMatchObject({ status: expect.any(Number) });
    await sender.close();
    expect(named('GET')[0]!.attributes['http.request.method']).toBe('GET');
    expect(named('POST')).toEqual([]);
  }));

it('an attempt that is given back before its create is told as dropped', () =>
  hall.with({}, async (stage) => {
    const times = { hours: [{ from: 11 * 60, to: 13 * 60 + 30, days: [1, 2, 3, 4, 5, 6, 7] }] };
    const campaign = await stage.campaign({ times });
    await stage.add(campaign, [person(1, { place: zoneAt(12, stage.clock.now()) })]);
    const id = await stage.planOne(campaign);
    stage.clock.shift(2 * 3_600_000);
    await stage.dial(id);
    expect(named('attempt').map(({ attributes }) => attributes['carillon.outcome'])).toEqual(['dropped']);
    const ended = { 'carillon.step': 'drop', 'carillon.step.why': 'the window is closed' };
    expect(named('dial attempt')[0]!.attributes).toMatchObject(ended);
  }));

it('an attempt whose dialer died ends as an error', () =>
  hall.with({}, async (stage) => {
    const campaign = await stage.campaign({ people: 1 });
    const id = await stage.planOne(campaign);
    await stage.admit(id);
    await hall.books.sql(
      "update carillon.attempts set expires_at = now() - interval '1 hour' where id = $1",
      [id],
    );
    exporter.reset();
    await stage.stations.reconcile.start();
    const [whole] = named('attempt');
    expect(whole).toMatchObject({ attributes: { 'error.type': 'crashed', 'carillon.outcome': 'unknown' } });
    expect(whole!.spanContext().traceId).toBe(traceOf(id));
  }));

it('a sampler that decides by the trace’s id takes its share of attempts, however close in time they are', async () => {
  const rows = await hall.books.sql<{ id: string }>(
    'select carillon.new_id() as id from generate_series(1, 10000)',
  );
  for (const share of [0.01, 0.1, 0.5]) {
    const sampler = new TraceIdRatioBasedSampler(share);
    const taken = rows.filter(
      ({ id }) =>
        sampler.shouldSample(ROOT_CONTEXT, traceOf(id)).decision === SamplingDecision.RECORD_AND_SAMPLED,
    );
    // Six standard deviations.
    const slack = 6 * Math.sqrt((share * (1 - share)) / rows.length);
    expect(Math.abs(taken.length / rows.length - share), `a share of ${share}`).toBeLessThan(slack);
  }
});
