import fc from 'fast-check';
import { expect, test } from 'vitest';
import { firstThatFits } from '../../src/voice/answer-rules.ts';
import type { Meaning } from '../../src/voice/description.ts';
import {
  type Fault,
  isAboutPerson,
  meaningOf,
  readRetryAfter,
  refusalFault,
  wordsOf,
} from '../../src/voice/faults.ts';
import { standard } from '../../src/voice/load-service.ts';
import { personFields } from '../../src/voice/person-fields.ts';
import { describeProfile, type Profile } from '../../src/voice/profile.ts';
import { createMask, readJson } from '../../src/voice/service-message.ts';
import { assert, runs } from '../support/property.ts';

const now = Date.parse('2025-03-01T12:00:00Z');

function judge(
  status: number,
  body: unknown = '',
  options: { profile?: Profile; creates?: boolean; headers?: Record<string, string> } = {},
): Fault {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const { headers = {}, creates = true } = options;
  const answer = { status, headers, text, json: readJson(text), mask: createMask('s3cret').text };
  const service = describeProfile(standard(), options.profile ?? {});
  const { answers = [] } = creates ? service.create : service.get;
  const beside = { http: status, says: wordsOf(answer) };
  const meaning = firstThatFits(answers, answer.json, now, beside)?.is ?? meaningOf(answer, creates);
  return refusalFault(answer, meaning, personFields(service.create.body), now);
}

const problem = (loc: unknown[], msg = 'is wrong', type = 'value_error') => ({ loc, msg, type });

test.each([
  ['120', 120_000],
  ['0', 0],
  ['1.5', 1_500],
  ['-5', 0],
  ['86400', 3_600_000],
  ['Sat, 01 Mar 2025 12:00:30 GMT', 30_000],
  ['Saturday, 01-Mar-25 12:00:30 GMT', 30_000],
  ['Sat Mar  1 12:00:30 2025', 30_000],
  ['Sat, 01 Mar 2025 11:00:00 GMT', 0],
  ['Sun, 02 Mar 2025 12:00:00 GMT', 3_600_000],
  ['2025-03-01T12:00:10Z', 10_000],
  ['soon', null],
  ['5 apples', null],
  ['', null],
])('Retry-After %s means %s ms', (text, wait) => {
  expect(readRetryAfter({ 'retry-after': text }, now)).toBe(wait);
});

test('a 429 without Retry-After is busy for an unknown time', () => {
  expect(judge(429)).toEqual({
    kind: 'busy',
    message: 'the service answered 429: too many requests',
    status: 429,
    retryAfterMs: null,
  });
});

test.each([
  [402, 'no-credit'],
  [401, 'denied'],
  [403, 'denied'],
  [400, 'refused'],
  [404, 'refused'],
  [405, 'refused'],
  [410, 'refused'],
  [413, 'refused'],
  [415, 'refused'],
  [422, 'refused'],
  [408, 'lost'],
  [409, 'lost'],
  [425, 'lost'],
  [499, 'lost'],
  [300, 'lost'],
  [301, 'lost'],
  [304, 'lost'],
  [307, 'lost'],
  [500, 'lost'],
  [501, 'lost'],
  [502, 'lost'],
  [503, 'lost'],
  [504, 'lost'],
  [520, 'lost'],
])('a create that is answered %i is %s', (status, kind) => {
  expect(judge(status)).toMatchObject({ kind, status });
});

test('only a 404 says that what was asked for does not exist', () => {
  const missing = [400, 404, 410, 422].map((status) => judge(status, '', { creates: false }));
  expect(missing.map((fault) => fault.kind === 'refused' && fault.missing)).toEqual([
    false,
    true,
    false,
    false,
  ]);
});

test.each([
  ['person', { kind: 'refused', customer: true }],
  ['refused', { kind: 'refused', customer: false }],
  ['missing', { kind: 'refused', missing: true }],
  ['later', { kind: 'busy', retryAfterMs: 3_000 }],
  ['no-room', { kind: 'full', retryAfterMs: 3_000 }],
  ['no-credit', { kind: 'no-credit' }],
  ['denied', { kind: 'denied' }],
  ['nothing-made', { kind: 'unreachable', sent: true }],
  ['in-doubt', { kind: 'lost', accepted: false }],
] as const)('an answer that means %s is this fault, whatever its status', (meaning, fault) => {
  const headers = { 'retry-after': '3' };
  const answer = { status: 418, headers, text: 'words', json: undefined, mask: (text: string) => text };
  expect(refusalFault(answer, meaning, { within: null, phone: null, names: [] }, now)).toMatchObject({
    ...fault,
    status: 418,
    message: 'the service answered 418: words',
  });
});

test.each([
  [409, 'refused'],
  [425, 'refused'],
  [408, 'lost'],
  [503, 'lost'],
  [302, 'lost'],
])('any other request that is answered %i is %s', (status, kind) => {
  const profile = { createdNothing: [503] };
  expect(judge(status, '', { creates: false, profile })).toMatchObject({ kind, status });
});

test('a status in createdNothing is unreachable', () => {
  const profile = { createdNothing: [503, 429] };
  expect(judge(503, 'over capacity', { profile })).toEqual({
    kind: 'unreachable',
    message: 'the service answered 503: over capacity',
    status: 503,
    sent: true,
  });
  expect(judge(500, '', { profile }).kind).toBe('lost');
  expect(judge(429, '', { profile }).kind).toBe('busy');
});

test('a validation error becomes one line and names the person', () => {
  const detail = [problem(['body', 'customer', 'phone_number'], 'value is not a valid phone number')];
  expect(judge(422, { detail })).toEqual({
    kind: 'refused',
    message: 'customer.phone_number: value is not a valid phone number',
    status: 422,
    customer: true,
    missing: false,
    invalid: true,
  });
});

test('several problems are joined, and one outside the person’s data blames the order', () => {
  const detail = [
    problem(['body', 'customer', 'phone_number'], 'too short'),
    problem(['body', 'agent_id'], 'no such agent'),
  ];
  expect(judge(422, { detail })).toMatchObject({
    message: 'customer.phone_number: too short; agent_id: no such agent',
    customer: false,
  });
});

test.each([
  ['the customer object', [problem(['body', 'customer'])], true],
  ['the flat phone field', [problem(['body', 'phone_number'])], true],
  ['a path without body', [problem(['customer', 'phone_number'])], true],
  ['a dotted path', [problem(['body', 'customer.phone_number'])], true],
  ['a missing name', [problem(['body', 'customer', 'name'], 'Field required', 'missing')], true],
  ['the agent', [problem(['body', 'agent_id'])], false],
  ['the caller number', [problem(['body', 'from_number'])], false],
  ['a customer field of another name', [problem(['body', 'contact'], 'Field required', 'missing')], false],
  [
    'a child this profile does not know',
    [problem(['body', 'customer', 'number'], 'Field required', 'missing')],
    false,
  ],
  [
    'a child the service does not know',
    [problem(['body', 'customer', 'name'], 'Extra inputs', 'extra_forbidden')],
    false,
  ],
  ['nothing', [], false],
  ['only words', 'invalid', false],
])('a 422 on %s: the person’s data is at fault: %j', (_, detail, customer) => {
  expect(judge(422, { detail })).toMatchObject({ kind: 'refused', customer });
});

test('the customer field is the profile’s', () => {
  const profile = { customer: { field: 'contact', phone: 'number', name: null, variables: null } };
  const detail = [problem(['body', 'contact', 'number'])];
  expect(judge(422, { detail }, { profile })).toMatchObject({ customer: true });
  expect(judge(422, { detail })).toMatchObject({ customer: false });
});

test('an incomplete validation error is still reported', () => {
  expect(judge(422, { detail: [{ loc: ['body', 'agent_id'] }, { msg: 'odd' }, 7] }).message).toBe(
    'agent_id: is not valid; odd',
  );
  expect(judge(422, { detail: 'Unprocessable' }).message).toBe('the service answered 422: Unprocessable');
});

test('a long message is shortened', () => {
  const detail = Array.from({ length: 50 }, (_, i) => problem(['body', `field_${i}`]));
  const { message } = judge(422, { detail });
  expect(message.length).toBeLessThanOrEqual(300);
  expect(message.endsWith('…')).toBe(true);
});

test.each([
  [{ detail: 'Agent not found' }, 'Agent not found'],
  [{ message: 'no such agent' }, 'no such agent'],
  [{ error: 'bad thing' }, 'bad thing'],
  [{ error: { code: 7, message: 'deep thing' } }, 'deep thing'],
  [{ errors: [{ message: 'first' }, { message: 'second' }] }, 'first'],
  [{ error: true, message: 'told' }, 'told'],
  [{ code: 17 }, '{"code":17}'],
  ['plain\n  words\u001b[31m', 'plain words [31m'],
  ['<html><head><title>400 Bad</title></head><body><h1>400 Bad</h1><hr>nginx</body></html>', '400 Bad nginx'],
  ['<html><head><title>Only a title</title></head><body></body></html>', 'Only a title'],
  ['{}', 'bad request'],
  ['null', 'bad request'],
  ['', 'bad request'],
])('the message in %j is found', (body, words) => {
  expect(judge(400, body).message).toBe(`the service answered 400: ${words}`);
});

test('a redirect names its target', () => {
  expect(judge(308, '', { headers: { location: 'https://elsewhere.example/v1/call' } }).message).toBe(
    'the service answered 308, a redirect to https://elsewhere.example/v1/call, which is not followed',
  );
});

test('the secret is removed before the message is shortened', () => {
  const { message } = judge(401, { detail: `${'x'.repeat(258)} key s3cret is wrong` });
  expect(message).not.toContain('s3');
  expect(judge(401, { detail: 'key s3cret is wrong' }).message).toBe(
    'the service answered 401: key [secret] is wrong',
  );
  expect(judge(422, { detail: [problem(['header', 's3cret'], 's3cret')] }).message).toBe(
    'header.[secret]: [secret]',
  );
});

/** One, three, and seven or more digits: any country's. */
const drawnPhone = fc
  .tuple(fc.constantFrom('1', '44', '49', '91', '353'), fc.stringMatching(/^[2-9]\d{8,9}$/))
  .map(([country, rest]) => ({ country, rest, e164: `+${country}${rest}` }));
const grouped = (digits: string, between: string) => digits.match(/\d{1,3}/g)!.join(between);
const written = fc.constantFrom<(phone: { country: string; rest: string }) => string>(
  ({ country, rest }) => `+${country}${rest}`,
  ({ country, rest }) => `${country}${rest}`,
  ({ country, rest }) => `00${country}${rest}`,
  ({ country, rest }) => `+${country} ${grouped(rest, ' ')}`,
  ({ country, rest }) => `+${country}-${grouped(rest, '-')}`,
  ({ country, rest }) => `${country}.${grouped(rest, '.')}`,
  ({ country, rest }) => `+${country} (0)${grouped(rest, '\u00a0')}`,
  ({ rest }) => `0${grouped(rest, ' ')}`,
  ({ rest }) => `(${rest.slice(0, 3)}) ${grouped(rest.slice(3), '\u2011')}`,
);
const saying = fc.constantFrom<(number: string) => unknown>(
  (number) => `HTTP 400 error: Unable to create record: The number ${number} is not valid`,
  (number) => ({ success: false, message: `21211: ${number} is no phone.`, conversation_id: null }),
  (number) => ({ detail: { code: 'invalid_parameters', param: 'to', value: number } }),
  (number) => ({ errors: [{ title: 'Bad destination', detail: `"${number}"` }] }),
  (number) => ({ detail: [problem(['body', 'to'], `${number} cannot be dialled`)] }),
);

test('a refusal is the person’s if it names that number, however written, and nobody else’s', () => {
  assert(
    fc.property(
      ...([drawnPhone, drawnPhone, written, saying, fc.constantFrom(200, 400, 403, 404, 422)] as const),
      (person, other, write, say, status) => {
        fc.pre(!person.rest.includes(other.rest.slice(1)) && !other.rest.includes(person.rest.slice(1)));
        const judgeText = (body: unknown, meaning: Meaning = 'refused') => {
          const text = typeof body === 'string' ? body : JSON.stringify(body);
          const answer = { status, headers: {}, text, json: readJson(text), mask: String };
          const said = { phone: person.e164, caller: other.e164, others: ['agent-1'] };
          return isAboutPerson(answer, meaning, said);
        };
        const [theirs, callers] = [write(person), write(other)];
        expect(judgeText(say(theirs)), theirs).toBe(true);
        expect(judgeText(say(callers)), callers).toBe(false);
        expect(judgeText(say(`${callers} to ${theirs}`))).toBe(false);
        expect(judgeText(say(`9${theirs.replace(/\D/g, '')}`))).toBe(false);
        expect(judgeText(say(`${theirs}9`))).toBe(false);
        expect(judgeText(say(`${theirs}, the credit is used up`))).toBe(false);
        expect(judgeText({ error: 'bad', request: { agent: 'agent-1', to: theirs } })).toBe(false);
        expect(judgeText({ detail: [{ ...problem(['body', 'agent_id']), input: { to: theirs } }] })).toBe(
          false,
        );
        for (const meaning of ['later', 'no-room', 'no-credit', 'in-doubt'] as const)
          expect(judgeText(say(theirs), meaning)).toBe(false);
      },
    ),
    { numRuns: runs(200) },
  );
});
