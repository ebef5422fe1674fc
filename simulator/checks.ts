/** Checks requests strictly against the interface and reports problems in its validation error body. */
import type { ValidationError } from '../src/voice/wire.ts';
import type { Settings } from './settings.ts';

export type Problem = ValidationError['detail'][number];
export type Wanted = {
  agentId: string;
  phone: string;
  name: string | null;
  fromId: string | undefined;
  fromNumber: string | undefined;
};
export type Change = { metadata: Record<string, unknown> | undefined; status: string | undefined };
export type Read<T> = { problems: Problem[] } | { value: T };
type Json = Record<string, unknown>;

const e164 = /^\+[1-9]\d{6,14}$/;

export function readBody(contentType: string | undefined, text: string): Read<Json> {
  const isJson = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(contentType ?? '');
  if (!text) return { problems: [missing(['body'])] };
  if (!isJson) {
    return {
      problems: [problem(['body'], 'Body should be sent as application/json', 'model_attributes_type')],
    };
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : 'unreadable';
    const at = Number(/position (\d+)/.exec(why)?.[1] ?? 0);
    return {
      problems: [
        {
          loc: ['body', at],
          msg: 'JSON decode error',
          type: 'json_invalid',
          input: {},
          ctx: { error: why },
        },
      ],
    };
  }
  if (!isObject(value)) return { problems: [notObject(['body'], value)] };
  return { value };
}

export function readCreate(body: Json, settings: Settings): Read<Wanted> {
  const { customer: names, override, strict } = settings;
  const found = createFinder(strict);
  const agentId = found.text(body, ['body'], 'agent_id', true);
  const fromId = found.text(body, ['body'], 'phone_number_id', false);
  const fromNumber = found.text(body, ['body'], 'from_number', false);
  if (fromNumber !== undefined && !e164.test(fromNumber)) {
    found.refuse(notE164(['body', 'from_number'], fromNumber));
  }
  if (fromId !== undefined && fromNumber !== undefined) {
    found.refuse(problem(['body', 'from_number'], 'Give phone_number_id or from_number', 'value_error'));
  }
  found.object(body, ['body'], override, false);
  found.extras(body, ['body'], ['agent_id', 'phone_number_id', 'from_number', names.field, override]);
  const customer = found.object(body, ['body'], names.field, true);
  let phone: string | undefined;
  let name: string | undefined;
  if (customer) {
    const at = ['body', names.field];
    phone = found.text(customer, at, names.phone, true);
    name = found.text(customer, at, names.name, false);
    if (names.variables) found.object(customer, at, names.variables, false);
    if (phone !== undefined && !e164.test(phone)) found.refuse(notE164([...at, names.phone], phone));
    if (phone !== undefined && settings.refused.includes(phone)) {
      found.refuse(problem([...at, names.phone], 'This number cannot be called', 'value_error', phone));
    }
    found.extras(customer, at, [names.phone, names.name, names.variables ?? names.phone]);
  }
  if (found.problems.length > 0 || agentId === undefined || phone === undefined) {
    return { problems: found.problems };
  }
  return { value: { agentId, phone, name: name || null, fromId, fromNumber } };
}

export function readUpdate(body: Json, strict: boolean): Read<Change> {
  const found = createFinder(strict);
  const metadata = found.object(body, ['body'], 'metadata', false);
  const status = found.text(body, ['body'], 'status', false);
  found.extras(body, ['body'], ['metadata', 'status']);
  return found.problems.length > 0 ? { problems: found.problems } : { value: { metadata, status } };
}

export function readPaging(query: string): Read<{ limit: number; offset: number }> {
  const given = new URLSearchParams(query);
  const problems: Problem[] = [];
  const read = (name: string, fallback: number, from: number, to: number) => {
    const text = given.get(name);
    if (text === null) return fallback;
    const at = ['query', name];
    const value = Number(text);
    if (!/^[+-]?\d+$/.test(text)) {
      problems.push(problem(at, 'Input should be a whole number', 'int_parsing', text));
    } else if (value < from) {
      const msg = `Input should be ${from} or more`;
      problems.push({ ...problem(at, msg, 'greater_than_equal', text), ctx: { ge: from } });
    } else if (value > to) {
      problems.push({
        ...problem(at, `Input should be ${to} or less`, 'less_than_equal', text),
        ctx: { le: to },
      });
    }
    return value;
  };
  const limit = read('limit', 100, 1, 1000);
  const offset = read('offset', 0, 0, Number.MAX_SAFE_INTEGER);
  return problems.length > 0 ? { problems } : { value: { limit, offset } };
}

export function problem(loc: (string | number)[], msg: string, type: string, input?: unknown): Problem {
  return input === undefined ? { loc, msg, type } : { loc, msg, type, input };
}

/** Takes fields out of a body and collects every problem with them. */
function createFinder(strict: boolean) {
  const problems: Problem[] = [];
  const refuse = (one: Problem) => void problems.push(one);
  const take = (from: Json, at: string[], name: string, required: boolean): unknown => {
    const value = from[name];
    // Null is not absent: the interface allows null for none of these.
    if (value === undefined || (value === null && !strict && !required)) {
      if (required) refuse(missing([...at, name]));
      return undefined;
    }
    return value;
  };
  return {
    problems,
    refuse,
    text(from: Json, at: string[], name: string, required: boolean): string | undefined {
      const value = take(from, at, name, required);
      if (value === undefined) return undefined;
      if (typeof value !== 'string') {
        refuse(problem([...at, name], 'Input should be a string', 'string_type', value));
        return undefined;
      }
      if (value === '' && required) {
        refuse(problem([...at, name], 'Input should not be empty', 'string_too_short', value));
        return undefined;
      }
      return value;
    },
    object(from: Json, at: string[], name: string, required: boolean): Json | undefined {
      const value = take(from, at, name, required);
      if (value === undefined || isObject(value)) return value;
      refuse(notObject([...at, name], value));
      return undefined;
    },
    extras(from: Json, at: string[], known: string[]) {
      if (!strict) return;
      for (const name of Object.keys(from)) {
        if (known.includes(name)) continue;
        refuse(problem([...at, name], 'Extra fields are not permitted', 'extra_forbidden', from[name]));
      }
    },
  };
}

function missing(loc: (string | number)[]): Problem {
  return problem(loc, 'Field required', 'missing');
}

function notObject(loc: string[], value: unknown): Problem {
  return problem(loc, 'Input should be an object', 'model_attributes_type', value);
}

function notE164(loc: string[], value: string): Problem {
  return problem(loc, 'Value is not a phone number in E.164 format', 'value_error', value);
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
