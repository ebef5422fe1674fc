import { describe, expect, it } from 'vitest';
import { accountLines, creditLines, inboundLines } from '../../src/cli/commands/keys.ts';
import { useTerminal } from './terminal.ts';

const numbers = Array.from({ length: 2_003 }, (_, at) => `+1415555${String(at).padStart(4, '0')}`);

const term = useTerminal('test', { numbers });

const create = 'call create --agent agent-1 --to +14155550123 --json';

describe('keys', () => {
  it('shows state, rate and calls in progress, by name and never by secret', async () => {
    await term.type(create);
    const shown = await term.type('keys --json');
    expect(shown.json.items).toMatchObject([
      { name: 'a', present: true, state: 'open', rate: 200, rate_from: 'fixed', calling: 1, parked: 0 },
    ]);
    const { out } = await term.type('keys');
    expect(out).toMatch(/a +open +200\/s fixed +1/);
    expect(shown.out + out).not.toContain('good');
  });

  it('distinguishes a learned rate from a first guess', async () => {
    const env = { VOICE_RATE: 'auto' };
    expect((await term.type('keys --json', { env })).json.items[0].rate_from).toBe('first guess');
    term.simulator.control({ faults: [{ kind: 'error', status: 429, next: 1 }] });
    await term.type(create, { env });
    expect((await term.type('keys --json', { env })).json.items[0].rate_from).toBe('learned');
  });

  it('shows a key without credit with its next probe', async () => {
    term.simulator.control({ credits: 0 });
    await term.type(create);
    expect((await term.type('keys')).out).toMatch(/a +no credit .* 1 .*Z .*Z/);
    expect((await term.type('keys --json')).json.items).toMatchObject([
      { state: 'out_of_credit', parked: 1 },
    ]);
  });

  it('still shows a key that was removed from the settings while it has calls', async () => {
    await term.type(create);
    const env = { VOICE_API_KEYS: 'b=second' };
    expect((await term.type('keys --json', { env })).json.items).toMatchObject([
      { name: 'a', present: false, calling: 1 },
      { name: 'b', present: true },
    ]);
  });
});

describe('keys that share a limit', () => {
  const belief = { limit: 20.04, sure: 1, since: '', window_ms: null, max_calls: null, creates: null };
  const sharing = (name: string, account: string[] | null) => ({
    name,
    belief: { ...belief, probing: false, account },
  });

  it('are named in one sentence, with their limit', () => {
    const keys = [
      sharing('a', ['b', 'c']),
      sharing('b', ['a', 'c']),
      sharing('c', ['a', 'b']),
      sharing('d', null),
    ];
    expect(accountLines(keys)).toEqual([
      'The keys a, b and c share one limit of about 20 requests a second: Carillon gives them one budget.',
    ]);
    expect(accountLines([sharing('d', null), { name: 'e', belief: null }])).toEqual([]);
  });
});

describe('a key that keeps calls free for those that come in', () => {
  const limit = (inbound: number | null, now: number) => ({
    name: 'a',
    call_limit: { most: 10, kept: 2, inbound, now },
  });

  it('is named with what is left to make', () => {
    expect(inboundLines([limit(null, 8), limit(3, 5)])).toEqual([
      'a keeps 2 of 10 calls free for those that come in: at most 8 of yours at once.',
      'a keeps 2 of 10 calls free for those that come in; 3 calls came in: at most 5 of yours at once.',
    ]);
    expect(inboundLines([{ name: 'b', call_limit: null }])).toEqual([]);
  });
});

describe('keys resume', () => {
  it('opens a key once the service accepts it, and not before', async () => {
    term.simulator.control({ revokeKeys: ['good'] });
    expect((await term.type(create)).code).toBe(2);
    const refused = await term.type('keys resume a');
    expect(refused).toMatchObject({ code: 2, out: '' });
    expect(refused.err).toContain('does not accept the key a');
    term.simulator.control({ restoreKeys: ['good'] });
    expect((await term.type('keys resume a --json')).json).toEqual({
      name: 'a',
      was: 'denied',
      state: 'open',
      resumed: 0,
    });
    expect((await term.type(create)).code).toBe(0);
  });

  it('plans again what was parked for lack of credit', async () => {
    term.simulator.control({ credits: 0 });
    await term.type(create);
    const resumed = await term.type('keys resume a');
    expect(resumed.out).toBe('The key a creates calls again. 1 attempt is planned again.\n');
    expect(await term.sql('select state from carillon.people')).toEqual([{ state: 'queued' }]);
  });

  it('has clear words for an open key and for an unknown one', async () => {
    expect((await term.type('keys resume a')).out).toContain('is open');
    const missing = await term.type('keys resume z');
    expect(missing).toMatchObject({ code: 2, out: '' });
    expect(missing.err).toContain('VOICE_API_KEYS has a');
  });
});

describe('numbers', () => {
  it('lists all pages of every key', async () => {
    const env = { VOICE_API_KEYS: 'a=good,b=second' };
    const listed = await term.type('numbers --json', { env });
    expect(listed.json.items).toHaveLength(2 * numbers.length);
    expect(listed.json.items[0]).toMatchObject({ key: 'a', phone_number: numbers[0], id: 'number-1' });
    const pages = [...term.simulator.journal({ method: 'GET', path: '/v1/phone-number' })];
    expect(pages).toHaveLength(6);
  });

  it('waits out a 429', async () => {
    term.simulator.control({ faults: [{ kind: 'error', status: 429, on: 'list', next: 1 }] });
    const listed = await term.type('numbers --json');
    expect(listed.json.items).toHaveLength(numbers.length);
    expect(listed.err).toContain('The key a rests');
  });

  it('shows what one key returns, and fails for the other', async () => {
    const env = { VOICE_API_KEYS: 'bad=wrong,b=second' };
    const listed = await term.type('numbers --json', { env });
    expect(listed.code).toBe(2);
    expect(listed.json.items).toHaveLength(numbers.length);
    expect(listed.err).toContain('does not accept the key bad');
  });

  it('says in one line what is missing without a service', async () => {
    const listed = await term.type('numbers', { env: { VOICE_BASE_URL: '' } });
    expect(listed).toMatchObject({ code: 2, out: '' });
    expect(listed.err).toMatch(/^carillon: VOICE_BASE_URL is not set\. .+\n$/);
  });
});

it('says for how long the credit of a key lasts, where it has ended twice', () => {
  const credit = { spent: 5, lasted: 17, minutes: 40 };
  expect(
    creditLines([
      { name: 'a', credit },
      { name: 'b', credit: { ...credit, minutes: null } },
    ]),
  ).toEqual([
    'a: credit for about 40 min 0 s: 5.00 spent since it had credit again; the time before, it lasted for 17.00.',
    'b: 5.00 spent since it had credit again; the time before, it lasted for 17.00.',
  ]);
  expect(creditLines([{ name: 'c', credit: null }])).toEqual([]);
});
