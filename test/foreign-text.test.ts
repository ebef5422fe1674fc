import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { ZodError, z } from 'zod';
import { takesGzip } from '../src/api/etag-gzip.ts';
import { readEnvironment } from '../src/base/config/config.ts';
import { parseKeys, parseRates } from '../src/base/config/keys.ts';
import { parseNetworks } from '../src/base/config/networks.ts';
import { readServiceUrl } from '../src/base/config/service-url.ts';
import { CarillonError, errorLine } from '../src/base/errors.ts';
import { maskPhone } from '../src/base/log.ts';
import { oneLine, printableJson } from '../src/base/terminal-safe.ts';
import { readVariables } from '../src/cli/flags.ts';
import { isHookSecret } from '../src/control/calls/hint.ts';
import { readOrder, readTypedChange } from '../src/control/order/order.ts';
import { readPolicyFile } from '../src/control/policies/set.ts';
import { readKeyed } from '../src/control/requests/idempotency.ts';
import { namesVersion, readCursor, timeCursor } from '../src/control/requests/input.ts';
import { readTimeRange as readPast } from '../src/control/requests/time-range.ts';
import { signedHeaders } from '../src/control/webhooks/send.ts';
import { csvLine } from '../src/export/csv.ts';
import { kindOfAddress } from '../src/http/network-kind.ts';
import { parseMap } from '../src/intake/columns.ts';
import { detectDelimiter } from '../src/intake/csv.ts';
import { readJsonFile } from '../src/intake/json-values.ts';
import { readEventId } from '../src/ledger/events/events.ts';
import { readPhone } from '../src/rules/phone/phone.ts';
import { readAnyPhone } from '../src/rules/phone/readings.ts';
import { readPolicy } from '../src/rules/policy/policy.ts';
import { readInstant, readUntil } from '../src/rules/time/instant.ts';
import { parseDays, parseWindow } from '../src/rules/time/window.ts';
import { firstThatFits } from '../src/voice/answer-rules.ts';
import { loadService, standard } from '../src/voice/load-service.ts';
import { createReader } from '../src/voice/read-answer.ts';
import { readJson, readProblems, readWords, shorten, tellProblems } from '../src/voice/service-message.ts';
import { assert, runs } from './support/property.ts';

/** Text that others write is read or refused in our words, and in a time that grows with its length only. */
const folder = mkdtempSync(join(tmpdir(), 'carillon-foreign-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function withFile<T>(name: string, text: string, read: (path: string) => T): T {
  const path = join(folder, name);
  writeFileSync(path, text);
  return read(path);
}

const loadProfile = (path: string) => loadService(undefined, path);
const reader = createReader(standard(), (path) => path);

const order = (field: string) => (text: string) => readOrder({ agent: 'a', [field]: text } as never);

/** Patterns as descriptions have them. */
const patterns = ['*a*b*c', '*-1*', '09:00*x', '*'].map((reason) => ({
  when: { '/reason': reason },
  is: 'x',
}));

/** Everything that reads a text of somebody else and needs no ledger. */
const readers: Record<string, (text: string) => unknown> = {
  '.env': (text) => withFile('.env', text, () => readEnvironment({}, folder)),
  'a policy file': (text) => withFile('policy.json', text, readPolicyFile),
  'a profile file': (text) => withFile('profile.json', text, loadProfile),
  'a window': parseWindow,
  days: parseDays,
  'a time': (text) => [readInstant(text, 'Europe/Berlin'), readUntil(text, 0)],
  'a column map': parseMap,
  'a country': (text) => readOrder({ agent: 'a', country: text }),
  'a zone': (text) => readOrder({ agent: 'a', timezone: text }),
  'a delimiter': (text) => detectDelimiter(text.slice(0, 65_536), {} as never),
  keys: parseKeys,
  rates: (text) => parseRates(text, [{ name: 'main', secret: 's' }], false),
  networks: (text) => parseNetworks('TRUSTED_PROXIES', text),
  'a service’s address': readServiceUrl,
  'a hook’s secret': (text) => isHookSecret(text, 'a-secret-for-the-hook'),
  'an accepted encoding': takesGzip,
  'a cursor': (text) => [
    readCursor(z.tuple([timeCursor, z.uuid()]), text),
    readCursor(z.tuple([timeCursor]), Buffer.from(JSON.stringify([text])).toString('base64url')),
  ],
  'an Idempotency-Key': (text) => readKeyed(['x'], text, { text }),
  'an If-Match': (text) => namesVersion(text, '1'),
  'the id of an event': readEventId,
  'a webhook’s secret': (text) => signedHeaders(text, text, text, 0),
  'an address of a network': kindOfAddress,
  'the span of a series': (text) => readPast({ since: text, until: text }, [['hour', null]], 1e12),
  'a phone': (text) => [readPhone(text, 'US'), readPhone(text, undefined), readAnyPhone(text, 'DE')],
  'a variable': (text) => readVariables([text, `x${text}=`], null),
  'a file of overrides': (text) => withFile('override.json', text, readJsonFile),
  'a change of an order': (text) => readTypedChange([text, `window=${text}`, `retry=${text}`]),
  ...Object.fromEntries(
    [
      ...['retry', 'window', 'days', 'timezone', 'start_at', 'end_at', 'stop_at', 'result_delay', 'agent'],
      ...['max_cost', 'max_attempts', 'first', 'holidays', 'opt_out', 'on_unknown', 'caller', 'weight'],
    ].map((field) => [`an order’s ${field}`, order(field)]),
  ),
  'a service’s words': (text) => [
    shorten(readWords(text, readJson(text)) ?? ''),
    reader.call({ id: 'c-1', status: text, transcript: text, created_at: text, cost: text }, '', 0),
    reader.placed({ id: text, status: text, phone_number: text }, false),
    firstThatFits(patterns, { reason: text }, 0),
  ],
  'an error': (text) => errorLine(new Error(text)),
  'a line of a log': maskPhone,
  'a cell': (text) => [csvLine([text]), oneLine(text), printableJson(text)],
};

/** Our own refusals; a file may also be told to be wrong in its form. */
function reads(read: () => unknown): void {
  try {
    read();
  } catch (error) {
    if (!(error instanceof CarillonError) && !(error instanceof ZodError)) throw error;
  }
}

const pieces = [
  '.',
  ' ',
  '-',
  '+',
  '=',
  ',',
  ';',
  ':',
  '/',
  '\n',
  '\t',
  '"',
  "'",
  '<',
  '<head',
  '<script>',
  '<title',
  '1',
  '0',
  '9',
  'a',
  'mon',
  '09:00',
  '30m',
  '@',
  '#',
  '(',
  '\u202e',
  '\0',
  '\ud800',
  '\x1b[',
];
const drawn = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 80 }),
  fc.json(),
  fc.array(fc.constantFrom(...pieces), { maxLength: 30 }).map((parts) => parts.join('')),
);

/** The user's own file, which dotenv reads: 20,000 empty lines take it seconds. */
const slowPieces: Record<string, string> = { '.env': '\n' };

describe.each(Object.entries(readers))('%s', (name, read) => {
  it('is read or refused in our words, whatever it is', () => {
    assert(
      fc.property(drawn, (text) => reads(() => read(text))),
      { numRuns: runs(150) },
    );
  });

  it('takes a time that grows with its length only', () => {
    // A pattern that tries again at each letter would take minutes for one of these, and end at the time limit.
    for (const piece of pieces) {
      if (piece === slowPieces[name]) continue;
      const many = piece.repeat(Math.ceil(100_000 / piece.length));
      for (const text of [many, `${many}x`, `+1 ${many}!`]) reads(() => read(text));
    }
  });
});

it('an answer of the service is read or refused, whatever it holds', () => {
  const text = fc.string({ unit: 'binary', maxLength: 40 });
  const deep = fc.object({
    key: fc.oneof(fc.constantFrom('id', 'status', 'detail', 'loc', 'msg', 'customer', '__proto__'), text),
    values: [text, fc.double(), fc.bigInt().map(Number), fc.constant(null), fc.boolean()],
    maxDepth: 4,
  });
  assert(
    fc.property(deep, (body) => {
      reader.call(body, '', 0);
      reader.placed(body, false);
      reads(() => tellProblems(readProblems(body)));
      reads(() => readWords(JSON.stringify(body), body));
      reads(() => readPolicy(body));
      reads(() => readOrder(body as never));
    }),
    { numRuns: runs(500) },
  );
});

it('a body that nests a hundred thousand deep is refused', () => {
  for (const text of [
    '['.repeat(100_000),
    '{"a":'.repeat(100_000),
    `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
  ]) {
    expect(readJson(text)).toBeUndefined();
    const quoted = JSON.stringify({ a: `"\\${text}` });
    expect(readJson(quoted)).toEqual(JSON.parse(quoted));
    reads(() => readWords(text, readJson(text)));
    reads(() => readWords(text, JSON.parse('['.repeat(100_000) + ']'.repeat(100_000))));
    reads(() => withFile('policy.json', text, readPolicyFile));
    reads(() => withFile('profile.json', text, loadProfile));
  }
});
