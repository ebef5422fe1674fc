import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { runs } from '../support/property.ts';
import { useTerminal } from './terminal.ts';

/** A time, a span, an amount, a zone or a phone is taken, or refused in one line, whatever is typed. */
const terminal = useTerminal('file');
let list: string;
beforeAll(async () => {
  list = join(terminal.folder, 'people.csv');
  writeFileSync(list, 'phone,name\n+14155550101,Ann\n');
});

/** `%` is what is typed; the first word of many is the option of `run`. */
const ofRun =
  'window days not-on start-at end-at timezone retry retry-when stop-at max-cost result-delay first max-attempts max-calls weight per-number-calls per-number-day from number-id map country keys opt-out on-unknown on-402 caller limit holidays name agent override';
const lines = [
  ...ofRun.split(' ').map((option) => `run LIST --agent a --dry-run --${option}=%`),
  'find %',
  'activity --since=%',
  'activity --verb=%',
  'suppress add +14155550199 --until=%',
  'suppress add %',
  'suppress list --phone=%',
  'policy test --phone=% --at=2026-12-01T09:00:00Z',
  'policy test --phone=+14155550101 --at=%',
  'policy test --phone=+14155550101 --state=%',
  'call create --agent a --phone=%',
  'call show %',
  'campaign show %',
  'unknown resolve % --as=called',
  'webhook add %',
  'webhook replay x --since=%',
  'token create --role read --name=%',
  'token create --role read --name t --ends=%',
  'keys resume %',
  'erase % --yes',
  'sim --port x --latency=%',
  'sim --port x --fault=%',
].map((line) => line.split(' '));

const pieces = [
  ...['', ' ', '-', '--', '+', '=', ',', ';', ':', '/', '%', '@', '\n', '"', "'", '\u202e', '\u00a0', '٣'],
  ...['0', '1', '9', '-1', '1e9', '1.5', 'NaN', '9'.repeat(40), 'x'.repeat(3_000), '__proto__', 'null'],
  ...[
    '09:00',
    '-',
    '20:00',
    '24:00',
    'mon',
    'fri',
    '30m',
    '2h',
    '1d',
    '365d',
    '50%',
    's',
    'ms',
    'no-answer',
    'busy',
  ],
  ...[
    '2026-03-29',
    'T02:30:00',
    'Z',
    '+14:00',
    '2026-02-30',
    'Europe/Berlin',
    'UTC',
    'US',
    '+14155550101',
    '415',
  ],
];
const typed = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.array(fc.constantFrom(...pieces), { maxLength: 5 }).map((parts) => parts.join('')),
  },
  {
    weight: 1,
    arbitrary: fc.string({ unit: 'grapheme', maxLength: 20 }).filter((text) => !text.includes('\0')),
  },
);

it('no value of an option makes a command fail without saying why', async () => {
  const codes = new Map<number, number>();
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...lines), typed, async (line, value) => {
      const words = line.map((word) => (word === 'LIST' ? list : word.replace('%', () => value)));
      const { code, err } = await terminal.type(words);
      codes.set(code, (codes.get(code) ?? 0) + 1);
      expect([0, 2, 3], `${words.join(' ')}\n${err}`).toContain(code);
      if (code !== 2) return;
      // An unknown option is told by the parser itself, which is silent here.
      if (err !== '') expect(err).toMatch(/^(carillon: [^\n]+\n)$/);
      expect(err.length).toBeLessThan(5_000);
    }),
    { numRuns: runs(120), interruptAfterTimeLimit: 240_000 },
  );
  expect(codes.get(0)).toBeGreaterThan(4);
  expect(codes.get(2)).toBeGreaterThan(20);
});
