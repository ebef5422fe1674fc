import { firstThatFits, isMet } from './answer-rules.ts';
import type { Call, CallStage, KeptFields, Placed, ServiceAgent, ServiceNumber } from './call.ts';
import type { Field, Fields, ServiceDescription } from './description.ts';
import { lineOf, transcriptFrom, wordFor } from './lists.ts';
import { firstAt, isEmpty, topOf, valuesAt } from './pointer.ts';
import { fillPath } from './template.ts';
import {
  amountOf,
  callTimeOf,
  cleanJson,
  fitting,
  isObject,
  kindOf,
  longest,
  nameOf,
  ranges,
  textNameOf,
  textOf,
} from './values.ts';

/** A number of characters of JSON. */
const mostOfRest = 32_768;
const credentials = /token|secret|password|credential|auth_?key|api_?key/i;

/** Hears, once for each field, of a value that no call can have, and what it was: it counts as absent. */
export type OnOutside = (field: string, what: string) => void;

/**
 * Reads what a service answered into our values, as its description says. `addressOf` makes an address of a path below
 * the base; `speed` is for rules that wait.
 */
export function createReader(
  service: ServiceDescription,
  addressOf: (path: string) => string,
  onOutside: OnOutside = () => undefined,
  speed: () => number = () => 1,
) {
  const { create, get } = service;
  const { fields } = get;
  const ofCreate: Fields = { ...fields, ...create.fields, id: create.id };
  const keptTops = new Set(['id', 'status', ...keptNames].flatMap((name) => topsOf(fields, name)));

  const reported = new Set<string>();
  /** What was read of a value, and a report if that is nothing although the value is there. */
  const readAs = <T>(field: string, value: unknown, read: T | null): T | null => {
    if (read !== null || isEmpty(value) || value === 0 || value === false || reported.has(field)) return read;
    reported.add(field);
    onOutside(field, typeof value === 'number' ? String(value) : kindOf(value));
    return read;
  };
  const take = <T>(
    name: Exclude<keyof Fields, 'cost' | 'transcript' | 'recording_url'>,
    record: unknown,
    read: (value: unknown) => T | null,
  ): T | null => {
    const value = valueIn(record, fields[name]);
    return readAs(name, value, read(value));
  };

  /** Names are read from the record itself: a name that needed cleaning would become another one. */
  function keptOf(
    record: Record<string, unknown>,
    clean: Record<string, unknown>,
    id: string,
    now: number,
  ): KeptFields {
    return {
      duration: take('duration', record, (value) => amountOf(value, ranges.duration)),
      ...costIn(record),
      transcript: transcriptOf(record, fields.transcript),
      recording_url: recordingOf(record, id, now),
      structured_data: take('structured_data', clean, fitting),
      provider_call_sid: take('provider_call_sid', record, name),
      direction: take('direction', record, word),
      contact_id: take('contact_id', record, name),
      metadata: take('metadata', clean, (value) => (isObject(value) ? fitting(value) : null)),
    };
  }

  function costIn(record: unknown): Pick<KeptFields, 'cost' | 'currency'> {
    const field = fields.cost;
    const told = field ? firstAt(record, field.at) : null;
    const amount = amountOf(told);
    const { currency, times = 1 } = field ?? {};
    const cost = amountOf(amount === null || times === 1 ? amount : rounded(amount * times), ranges.cost);
    if (readAs('cost', told, cost) === null) return { cost: null, currency: null };
    const named = typeof currency === 'object' && currency !== null ? firstAt(record, currency.at) : currency;
    return { cost, currency: readAs('currency', named, textNameOf(named, longest.currency)) };
  }

  function namedOf(record: Record<string, unknown>, clean: Record<string, unknown>) {
    const orgId = take('org_id', record, name);
    const agentId = take('agent_id', record, name);
    const rest = restOf(clean, keptTops);
    if (orgId !== null) rest.org_id = orgId;
    if (agentId !== null) rest.agent_id = agentId;
    return { orgId, agentId, rest };
  }

  function recordingOf(record: unknown, id: string, now: number): string | null {
    const given = fields.recording_url;
    if (given === undefined) return null;
    if (typeof given === 'string' || Array.isArray(given)) {
      const told = firstAt(record, given);
      return readAs('recording_url', told, textNameOf(told, longest.address));
    }
    if (given.when && !isMet(given.when, record, now)) return null;
    const path = fillPath(given.path, { call: id });
    return path === null ? null : addressOf(path);
  }

  return {
    placed(body: unknown, isFull: boolean): Placed | null {
      const id = firstName(body, ofCreate.id);
      if (id === null) return null;
      return {
        id,
        status: word(valueIn(body, ofCreate.status)),
        phone: nameOf(valueIn(body, ofCreate.phone)),
        sid: nameOf(valueIn(body, ofCreate.provider_call_sid)),
        handle: textNameOf(firstAt(body, create.handle ?? []), longest.address),
        isFull,
      };
    },
    /** Null for a body that holds no record. */
    call(body: unknown, at: string, now: number): Call | null {
      const [record] = valuesAt(body, at);
      if (!isObject(record)) return null;
      const id = firstName(record, fields.id);
      if (id === null) return null;
      const clean = cleanJson(record) as Record<string, unknown>;
      const kept = keptOf(record, clean, id, now);
      const fit = firstThatFits(get.rules, record, now, {}, speed());
      const time = (value: unknown) => callTimeOf(value, now);
      const startedAt = take('started_at', record, time);
      const endedAt = take('ended_at', record, time);
      return {
        id,
        stage: stageOf(fit?.is ?? 'live'),
        status: take('status', record, word),
        phone: take('phone', record, name),
        endedReason: take('ended_reason', record, (value) => textOf(value, longest.reason)),
        isFinal: !get.final || [get.final].flat().some((each) => isMet(each, record, now)),
        isNewReason: fit?.unknown === true,
        startedAt,
        ...lastingOf(fields, startedAt, endedAt, kept, now),
        ...namedOf(record, clean),
        record: {
          ...clean,
          ...(kept.structured_data === null ? {} : { structured_data: kept.structured_data }),
          ...(kept.metadata === null ? {} : { metadata: kept.metadata }),
        },
        stamp: take('stamp', record, name),
      };
    },
    number(item: unknown): ServiceNumber | null {
      const of = service.numbers?.fields;
      if (!of || !isObject(item)) return null;
      const id = firstName(item, of.id);
      const phone = nameOf(valueIn(item, of.phone));
      if (id === null || phone === null) return readAs('a number of its list', item, null);
      const shown = Object.entries(item).filter(([name]) => !credentials.test(name));
      return { id, phone, provider: nameOf(valueIn(item, of.provider)), record: Object.fromEntries(shown) };
    },
    agent(item: unknown): ServiceAgent | null {
      const of = service.agents?.fields;
      const id = of ? firstName(item, of.id) : null;
      if (!of || id === null) return readAs('an agent of its list', item, null);
      return { id, name: nameOf(valueIn(item, of.name)), ref: nameOf(valueIn(item, of.ref)) };
    },
  };
}

const keptNames = [
  'duration',
  'cost',
  'transcript',
  'recording_url',
  'structured_data',
  'provider_call_sid',
  'direction',
  'contact_id',
  'metadata',
] as const;

function stageOf(is: string): CallStage {
  if (is === 'live') return { kind: 'live' };
  if (is === 'no-room' || is === 'no-credit') return { kind: 'undialled', why: is };
  return { kind: 'ended', outcome: is as (CallStage & { kind: 'ended' })['outcome'] };
}

/** If a service reports no end, or no duration, it follows from the other times. */
function lastingOf(
  fields: Fields,
  startedAt: string | null,
  endedAt: string | null,
  kept: KeptFields,
  now: number,
) {
  const started = startedAt === null ? null : Date.parse(startedAt);
  const { duration } = kept;
  if (fields.ended_at === undefined && started !== null && duration !== null)
    return { endedAt: callTimeOf(new Date(started + duration * 1_000).toISOString(), now), kept };
  if (fields.duration === undefined && started !== null && endedAt !== null) {
    const seconds = (Date.parse(endedAt) - started) / 1_000;
    return { endedAt, kept: { ...kept, duration: amountOf(seconds, ranges.duration) } };
  }
  return { endedAt, kept };
}

/** The value of a field; undefined for one that the description lacks. */
function valueIn(record: unknown, field: Field | undefined): unknown {
  if (field === undefined) return undefined;
  if (typeof field === 'string') return firstAt(record, field);
  for (const each of Array.isArray(field) ? field : [field]) {
    const value = typeof each === 'string' ? firstAt(record, each) : readingOf(record, each);
    if (value !== undefined) return value;
  }
  return undefined;
}

function readingOf(record: unknown, { at, times, map }: Reading): unknown {
  const value = firstAt(record, at);
  if (map && typeof value === 'string') return wordFor(map, value);
  if (times === undefined) return value;
  const amount = amountOf(value);
  return amount === null ? undefined : rounded(amount * times);
}

type Reading = Exclude<Field, string | unknown[]>;

/** The first value that can name something. */
export function firstName(record: unknown, pointers: string | readonly string[]): string | null {
  for (const pointer of typeof pointers === 'string' ? [pointers] : pointers) {
    for (const found of valuesAt(record, pointer)) {
      const name = nameOf(found);
      if (name !== null) return name;
    }
  }
  return null;
}

const name = (value: unknown) => nameOf(value);
const word = (value: unknown) => textOf(value, longest.word);

/** 0.07 times 100 is not 7.000000000000001. */
function rounded(value: number): number {
  return Number(value.toPrecision(12));
}

function transcriptOf(record: unknown, field: Fields['transcript']): string | null {
  if (field === undefined) return null;
  if (typeof field === 'string' || Array.isArray(field)) return textOf(firstAt(record, field));
  const turns = valuesAt(record, field.turns).flatMap((each) => (Array.isArray(each) ? each : []));
  return transcriptFrom(turns.map((turn) => lineOf(turn, field)));
}

/** The record's own fields that hold one kept value and nothing else. */
function topsOf(fields: Fields, name: string): string[] {
  return pointersOf((fields as Record<string, unknown>)[name]).flatMap((pointer) =>
    pointer.lastIndexOf('/') === 0 ? [topOf(pointer)!] : [],
  );
}

/** All pointers of a field, in every form in which it may be described. */
function pointersOf(field: unknown): string[] {
  const ways = Array.isArray(field) ? field : [field];
  return ways.flatMap((way) => (isObject(way) ? (way.at ?? way.turns ?? []) : (way ?? [])) as string[]);
}

/** Fields without a column, as many as fit: some services repeat a conversation in fields of their own. */
function restOf(record: Record<string, unknown>, kept: ReadonlySet<string>): Record<string, unknown> {
  let left = mostOfRest;
  const others = Object.entries(record).flatMap(([name, value]) => {
    if (kept.has(name) || value === undefined) return [];
    const size = JSON.stringify([name, value]).length;
    if (size > left) return [];
    left -= size;
    return [[name, value] as const];
  });
  return Object.fromEntries(others);
}

/** Each field that a description maps, where it is looked for, and what a record has there. */
export function explainRecord(
  { get: { fields } }: ServiceDescription,
  record: unknown,
): { field: string; at: string[]; value: unknown }[] {
  return Object.entries(fields).map(([field, given]) => {
    if (isObject(given) && 'path' in given) return { field, at: [given.path], value: given.path };
    const at = pointersOf(given);
    return { field, at, value: firstAt(record, at) ?? null };
  });
}
