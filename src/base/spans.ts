import {
  type Context,
  context,
  type Link,
  metrics,
  ProxyTracerProvider,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { withDeadline } from './deadline.ts';
import type { Stoppable } from './lifecycle.ts';
import { version } from './version.ts';

/**
 * Spans for OpenTelemetry, made only where an SDK is loaded. The spans of an attempt are one trace, and its id is the
 * attempt's: every process knows it, so nothing is written or handed on for it. They are children of one span, whose id
 * is known as well; the attempt's end tells it.
 */
export type OpenSpan = Readonly<{
  /** As a header names it; null where no SDK is loaded. */
  traceparent: string | null;
  tell(facts: Facts): void;
  /** It ends as an error of this kind. */
  fail(kind: string): void;
  linkAttempt(id: string): void;
  /** Links the span of another program, by its traceparent. */
  linkCaller(traceparent: string): void;
  begin(name: string, options?: SpanOptions): OpenSpan;
  /** Does work as a part of it, told under this name. */
  part<T>(name: string, work: (span: OpenSpan) => Promise<T>): Promise<T>;
  end(): void;
}>;

/** Ids, numbers and words of ours. Never a person's data, a service's words or a secret. */
export type Facts = Readonly<Record<string, string | number | boolean | undefined>>;

export type SpanOptions = Readonly<{
  kind?: keyof typeof kinds;
  facts?: Facts;
  /** The attempts that it is about, if it is not part of theirs. */
  attempts?: readonly string[];
  /** When it began, if that was before now. */
  since?: number | undefined;
}>;

const kinds = { client: SpanKind.CLIENT, producer: SpanKind.PRODUCER, consumer: SpanKind.CONSUMER };
const scope = 'carillon';

/** Where no SDK is loaded, every span is this one. */
export const noSpan: OpenSpan = Object.freeze({
  traceparent: null,
  tell() {},
  fail() {},
  linkAttempt() {},
  linkCaller() {},
  begin: () => noSpan,
  part: <T>(_name: string, work: (span: OpenSpan) => Promise<T>) => work(noSpan),
  end() {},
});

/** A part of an attempt, in whichever process. */
export function spanOf(attempt: string, name: string, options?: SpanOptions): OpenSpan {
  const tracer = loadedTracer();
  if (tracer === null) return noSpan;
  return begin(tracer, trace.setSpanContext(ROOT_CONTEXT, contextOf(attempt)), name, options);
}

/** The first span of a trace of its own. */
export function spanApart(name: string, options?: SpanOptions): OpenSpan {
  const tracer = loadedTracer();
  return tracer === null ? noSpan : begin(tracer, ROOT_CONTEXT, name, options);
}

/** A part of whatever the process does now, as far as other instrumentation has told. */
export function spanHere(name: string, options?: SpanOptions): OpenSpan {
  const tracer = loadedTracer();
  return tracer === null ? noSpan : begin(tracer, context.active(), name, options);
}

/** Does work as this span. What is thrown is told by its code, because its words may be anybody's. */
export function within<T>(span: OpenSpan, work: (span: OpenSpan) => Promise<T>): Promise<T> {
  return span === noSpan ? work(span) : during(span, work);
}

async function during<T>(span: OpenSpan, work: (span: OpenSpan) => Promise<T>): Promise<T> {
  try {
    return await work(span);
  } catch (error) {
    const { code, name } = error as { code?: unknown; name?: string };
    span.fail(typeof code === 'string' ? code : (name ?? 'Error'));
    throw error;
  } finally {
    span.end();
  }
}

const flushMs = 2_000;

/** An SDK sends what it has gathered now and then: at its end, a process has it send the rest. */
export const sdk: Stoppable = {
  name: 'opentelemetry',
  async close() {
    const provider = trace.getTracerProvider() as { getDelegate?(): object };
    const loaded: { forceFlush?(): Promise<void> }[] = [
      provider.getDelegate?.() ?? provider,
      metrics.getMeterProvider(),
    ];
    const sent = Promise.allSettled(loaded.map(async (each) => each.forceFlush?.()));
    await withDeadline(sent, flushMs, () => undefined);
  },
};

/** Whether anybody takes spans. */
export const areSpansMade = () => loadedTracer() !== null;

/** Null where no SDK is loaded: then the API's own provider has nobody to hand a span to. */
function loadedTracer(): Tracer | null {
  const provider = trace.getTracerProvider();
  const isProxy = provider instanceof ProxyTracerProvider;
  const named = () =>
    isProxy ? provider.getDelegateTracer(scope, version) : provider.getTracer(scope, version);
  return unlessItThrows(named) ?? null;
}

function begin(tracer: Tracer, parent: Context, name: string, options: SpanOptions = {}): OpenSpan {
  return unlessItThrows(() => open(tracer, parent, name, options)) ?? noSpan;
}

/** An SDK does not catch what a processor of spans throws. It costs the span, never the work that it is about. */
function unlessItThrows<T>(tell: () => T): T | undefined {
  try {
    return tell();
  } catch {
    return undefined;
  }
}

function open(tracer: Tracer, parent: Context, name: string, options: SpanOptions): OpenSpan {
  const { kind, facts, attempts = [], since } = options;
  const told = tracer.startSpan(
    name,
    {
      kind: kind ? kinds[kind] : SpanKind.INTERNAL,
      ...(facts ? { attributes: { ...facts } } : {}),
      links: attempts.map((id): Link => ({ context: contextOf(id) })),
      ...(since === undefined ? {} : { startTime: since }),
    },
    parent,
  );
  const own = trace.setSpan(parent, told);
  return {
    traceparent: headerOf(told.spanContext()),
    tell(facts) {
      unlessItThrows(() => told.setAttributes({ ...facts }));
    },
    fail(kind) {
      const error = { code: SpanStatusCode.ERROR };
      unlessItThrows(() => told.setAttribute('error.type', kind).setStatus(error));
    },
    linkAttempt(id) {
      unlessItThrows(() => told.addLink({ context: contextOf(id) }));
    },
    linkCaller(traceparent) {
      const caller = readHeader(traceparent);
      if (caller) unlessItThrows(() => told.addLink({ context: caller }));
    },
    begin: (name, options) => begin(tracer, own, name, options),
    part: (name, work) => within(begin(tracer, own, name), work),
    end() {
      unlessItThrows(() => told.end());
    },
  };
}

/** The share of attempts whose spans are sampled: see config/trace-share.ts. */
let share = 1;
export function sampleAttempts(wanted: number): void {
  share = wanted;
}

/** The span of an attempt as every process knows it. A sampler that follows its parent does what the flag says. */
function contextOf(attempt: string): SpanContext {
  const traceId = attempt.replaceAll('-', '');
  const traceFlags = isSampled(traceId) ? TraceFlags.SAMPLED : TraceFlags.NONE;
  return { traceId, spanId: traceId.slice(16), traceFlags, isRemote: true };
}

/** By the end of the id, which is random, so that all processes choose the same attempts. */
function isSampled(traceId: string): boolean {
  return share >= 1 || Number.parseInt(traceId.slice(-13), 16) < share * 2 ** 52;
}

/** When an attempt was planned: its id begins with the time. Undefined if it is an id of another form. */
export function plannedAtOf(attempt: string): number | undefined {
  const digits = attempt.replaceAll('-', '');
  return digits[12] === '7' ? Number.parseInt(digits.slice(0, 12), 16) : undefined;
}

function headerOf({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-0${traceFlags & TraceFlags.SAMPLED}`;
}

const header = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/** What a `traceparent` names; null for one that is not valid, which the standard says to ignore. */
function readHeader(text: string): SpanContext | null {
  const [, traceId, spanId, flags] = header.exec(text) ?? [];
  if (!traceId || !spanId) return null;
  const named = { traceId, spanId, traceFlags: Number.parseInt(flags!, 16), isRemote: true };
  return trace.isSpanContextValid(named) ? named : null;
}

/** A traceparent that may be kept and sent on; null for any other text. */
export function validTraceparent(text: unknown): string | null {
  return typeof text === 'string' && readHeader(text) !== null ? text : null;
}
