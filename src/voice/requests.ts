import type { IncomingHttpHeaders } from 'node:http';
import type { Clock } from '../base/clock.ts';
import type { HttpProxy } from '../base/config/proxy.ts';
import type { OpenSpan } from '../base/spans.ts';
import { version } from '../base/version.ts';
import { createConnections, type Dispatch, type ServiceConnections } from '../http/connections.ts';
import {
  beginRequest,
  createExchange,
  type Exchange,
  type Exchanged,
  endRequest,
  type Watch,
} from '../http/exchange.ts';
import { beginningOf, type OpenedBody, openBody, openedOf } from '../http/open-body.ts';
import { firstThatFits } from './answer-rules.ts';
import type { Meaning, RequestForm, ServiceDescription } from './description.ts';
import {
  type CreateWords,
  type Fault,
  isAboutPerson,
  lostFault,
  meaningOf,
  type PersonFields,
  type Refusal,
  refusalFault,
  unreachableFault,
  unsentFault,
  wordsOf,
} from './faults.ts';
import { ofPerson } from './person-fields.ts';
import { isEmpty } from './pointer.ts';
import { createMask, decode, type Mask, readJson, shorten } from './service-message.ts';
import { fillPath, fillQuery, type Places, placesIn, type WrittenRequest, writeRequest } from './template.ts';

/** Sends what a description says, once, and reads the answer: a body, or a fault by the description's rules. */
export type Answer<T> =
  /** `size`: of its body, unpacked. */
  | Readonly<{ ok: true; value: T; status: number; ms: number; size?: number }>
  | Readonly<{ ok: false; fault: Fault; ms: number }>;

export type Operation = 'create' | 'read' | 'update' | 'numbers' | 'agents' | 'list';

/** One request and its answer, for people who want to see it: without the key, and not kept for ever. */
export type SeenExchange = Readonly<{
  operation: Operation;
  method: string;
  url: string;
  body: string | null;
  /** Null when no answer was read; then `why` says what happened. */
  status: number | null;
  answer: string | null;
  why: string | null;
  ms: number;
}>;

export type RequestOptions = Watch &
  Readonly<{
    /** Sent as it is, instead of what the places make of the description. */
    written?: WrittenRequest | undefined;
    onSeen?: ((seen: SeenExchange) => void) | undefined;
    /** The span of which the request is a part. */
    span?: OpenSpan | undefined;
  }>;

export type Requests = ReturnType<typeof createRequests>;

type RequestsDeps = Readonly<{
  service: ServiceDescription;
  origin: string;
  base: string;
  key: string;
  auth: Readonly<{ header: string; value: string }>;
  timeoutMs: number;
  proxy: HttpProxy | null;
  dispatcher: Dispatch | undefined;
  person: PersonFields;
  clock: Clock;
  onAnswer: ((operation: Operation, status: number | null) => void) | undefined;
}>;

const maxBytes = 5 * 1024 * 1024;
/** The most that a trace keeps of a request and of its answer. */
const mostSeen = 16_384;
const mostSpeed = 1_000_000;

export function createRequests(deps: RequestsDeps) {
  const { service, origin, base, auth, clock } = deps;
  const { timeoutMs, proxy, dispatcher } = deps;
  const exchange = createExchange({ origin, timeoutMs, maxBytes, proxy, dispatcher });
  /** Exchanges with addresses that the service told, by origin. */
  const others = new Map<string, Exchange>();
  let speed = 1;
  const plain = ['accept', 'application/json', 'user-agent', `carillon/${version}`];
  const credentialOf = (key: string) => ({
    key,
    mask: createMask(key, proxy?.authorization),
    authorized: [auth.header, auth.value.replaceAll('{key}', key), ...plain],
  });
  let credential = credentialOf(deps.key);

  function exchangeTo(to: string): Exchange {
    if (to === origin) return exchange;
    let other = others.get(to);
    if (!other) {
      other = createExchange({ origin: to, timeoutMs, maxBytes, proxy, dispatcher });
      others.set(to, other);
    }
    return other;
  }

  /** `read` returns undefined for a body that is not what was asked for. */
  async function send<T>(
    operation: Operation,
    form: Omit<RequestForm, 'path'> & { path?: string },
    given: Places,
    read: (json: unknown, meaning: Meaning | null) => T | undefined,
    options: RequestOptions = {},
    elsewhere?: { url: URL; sendsKey: boolean },
  ): Promise<Answer<T>> {
    const began = clock.monotonic();
    // The key may have another secret by the time the answer comes, so it is masked by the one that was sent.
    const { authorized, mask } = credential;
    const fail = (fault: Fault): Answer<T> => ({ ok: false, fault, ms: clock.monotonic() - began });
    const { written } = options;
    const path =
      written?.path ?? (elsewhere ? elsewhere.url.pathname + elsewhere.url.search : pathOf(form, given));
    if (path === null) {
      const lacks = placesIn(form.path).find(({ name }) => isEmpty(given[name]))!.name;
      const isPersons = operation === 'create' && ofPerson.includes(lacks);
      return fail(unsentFault(`its address needs the ${lacks}, which is not known`, isPersons));
    }
    const to = elsewhere?.url.origin ?? origin;
    const template = elsewhere ? null : base + (form.path ?? '');
    const span = beginRequest({ method: form.method, origin: to, template }, options.span);
    // Without spans, the one who ordered the call may have named theirs.
    const places = span.traceparent === null ? given : { ...given, traceparent: span.traceparent };
    const { body, ...left } = written ?? writeRequest(form, path, places);
    const headers = [...(elsewhere && !elsewhere.sendsKey ? plain : authorized), ...left.headers];
    const sent = await exchangeTo(to).send(
      { method: form.method, path, headers, ...(body === undefined ? {} : { body }) },
      options,
    );
    endRequest(span, sent);
    const ms = clock.monotonic() - began;
    if (sent.kind === 'answer' || sent.left)
      deps.onAnswer?.(operation, sent.kind === 'answer' ? sent.status : null);
    const text =
      sent.kind === 'answer' ? decode(sent.body, sent.headers['content-encoding'], maxBytes) : null;
    options.onSeen?.(seenOf(operation, form.method, `${to}${path}`, body, sent, text, ms, mask));
    if (sent.kind === 'answer') speed = speedIn(sent.headers);
    if (sent.kind === 'broken' && sent.unfit)
      return fail(unsentFault(`it cannot be written: ${shorten(sent.why)}`, operation === 'create'));
    if (sent.kind === 'broken')
      return { ok: false, fault: sent.left ? lostFault(sent.why, null) : unreachableFault(sent.why), ms };
    return {
      ...judge(operation, form, given, sent, text, read, mask),
      ms,
      size: text?.length ?? 0,
    } as Answer<T>;
  }

  function judge<T>(
    operation: Operation,
    form: Pick<RequestForm, 'answers'>,
    given: Places,
    { status, headers, cut }: Exchanged & { kind: 'answer' },
    text: string | null,
    read: (json: unknown, meaning: Meaning | null) => T | undefined,
    mask: Mask,
  ): { ok: true; value: T; status: number } | { ok: false; fault: Fault } {
    const json = text === null ? undefined : readJson(text);
    const isGood = status >= 200 && status < 300;
    const clean = json === undefined ? undefined : mask.record(text!, json);
    const refusal: Refusal = { status, headers, text: text ?? '', json, mask: mask.text };
    const faultOf = (told: Meaning) => {
      const isPersons = operation === 'create' && isAboutPerson(refusal, told, saidIn(given));
      return refusalFault(refusal, isPersons ? 'person' : told, deps.person, clock.now());
    };
    const rules = [...(form.answers ?? []), ...(service.answers ?? [])];
    const own =
      rules.length === 0
        ? null
        : firstThatFits(rules, json, clock.now(), { http: status, says: wordsOf(refusal) });
    // A truncated body that parses as JSON counts: a call id must not be thrown away.
    const value = json === undefined && !(isGood && text === '') ? undefined : read(clean, own?.is ?? null);
    if (isGood) {
      // An answer that carries what was asked for counts as that, whatever else it contains.
      if (value !== undefined && (operation === 'create' || own === null)) return { ok: true, value, status };
      if (own) return { ok: false, fault: faultOf(own.is) };
      if (json === undefined)
        return { ok: false, fault: lostFault(cut ?? 'its body is not JSON', status, cut !== null) };
      const why = `its body cannot be used: ${operation === 'create' || operation === 'read' ? 'it holds no call id' : 'it is not what was asked for'}`;
      return { ok: false, fault: lostFault(why, status, cut !== null || operation === 'create') };
    }
    const meaning = own?.is ?? meaningOf(refusal, operation === 'create');
    // This holds for an error too: a call that exists must not be made again.
    if (operation === 'create' && value !== undefined && namesCall(service, meaning))
      return { ok: true, value, status };
    return { ok: false, fault: faultOf(meaning) };
  }

  function pathOf(form: { path?: string; query?: RequestForm['query'] }, places: Places): string | null {
    const path = fillPath(form.path ?? '', places);
    return path === null ? null : base + path + fillQuery(form.query, places);
  }

  function seenOf(
    operation: Operation,
    method: string,
    url: string,
    body: string | undefined,
    sent: Exchanged,
    text: string | null,
    ms: number,
    mask: Mask,
  ): SeenExchange {
    const shown = (given: string) => mask.text(given).slice(0, mostSeen);
    return {
      operation,
      method,
      url: mask.text(url),
      body: body === undefined ? null : shown(body),
      status: sent.kind === 'answer' ? sent.status : null,
      answer: text === null ? null : shown(text),
      why: sent.kind === 'broken' ? sent.why : sent.cut,
      ms: Math.round(ms),
    };
  }

  /** These stay open for as long as a recording is read: requests of calls do not wait for them. */
  let streams: ServiceConnections | undefined;

  /** Opens what a record links to at the service's own origin, with the key. A redirect is an answer. */
  async function open(url: URL, signal?: AbortSignal): Promise<Answer<OpenedBody>> {
    const began = clock.monotonic();
    const { key, mask } = credential;
    if (!dispatcher) streams ??= createConnections(origin, timeoutMs, proxy);
    const from = dispatcher ?? streams!;
    const headers = [auth.header, auth.value.replaceAll('{key}', key), 'user-agent', `carillon/${version}`];
    try {
      const answered = await openBody(url, headers, from, signal);
      const { status, headers: told } = answered;
      const ms = clock.monotonic() - began;
      if (status >= 200 && status < 400) return { ok: true, value: openedOf(answered), status, ms };
      const text = await beginningOf(answered, mostSeen);
      const refusal: Refusal = { status, headers: told, text, json: readJson(text), mask: mask.text };
      const fault = refusalFault(refusal, meaningOf(refusal, false), deps.person, clock.now());
      return { ok: false, fault, ms };
    } catch (error) {
      const fault = unreachableFault(mask.text((error as Error).message));
      return { ok: false, fault, ms: clock.monotonic() - began };
    }
  }

  return {
    send,
    open,
    pathOf,
    /** False if the key has this secret already. */
    rekey(key: string): boolean {
      if (key === credential.key) return false;
      credential = credentialOf(key);
      return true;
    },
    speed: () => speed,
    async close(): Promise<void> {
      await Promise.all([exchange, ...others.values()].map((each) => each.close()));
      await streams?.destroy();
    },
  };
}

/** A simulator reports how much faster than real time its calls pass; a real service does not. */
function speedIn(headers: IncomingHttpHeaders): number {
  const told = Number(headers['x-simulated-speed'] ?? 1);
  return told > 0 && told <= mostSpeed ? told : 1;
}

function saidIn(given: Places): CreateWords {
  const others = [given.agent, given['caller.id'], given.stamp].filter((each) => typeof each === 'string');
  return {
    phone: String(given.phone),
    caller: (given['caller.phone'] as string | undefined) ?? null,
    others,
  };
}

/**
 * An `/id` next to a clear refusal is the error's own; under a name of its own, or if all is in doubt, it is a call's.
 */
function namesCall({ create }: ServiceDescription, meaning: Meaning): boolean {
  return meaning === 'in-doubt' || create.id !== '/id';
}
