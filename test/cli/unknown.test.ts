import { beforeEach, describe, expect, it } from 'vitest';
import { openTerminal, useTerminal } from './terminal.ts';

const term = useTerminal('test', {
  shares: { busy: 1 },
  speed: 0.001,
  faults: [{ kind: 'reset', when: 'after', next: 1 }],
});
let attempt: string;

/** One call whose answer was lost after the service had made it; it stays in progress until a test lets time pass. */
beforeEach(async () => {
  const made = await term.type(
    'call create --agent agent-1 --to +14155550123 --from +14155550100 --name Ann --json',
  );
  expect(made.json.state).toBe('unknown');
  attempt = made.json.attempt;
});

const makeOld = () =>
  term.sql(
    `update carillon.attempts set dialing_at = now() - interval '5 minutes', expires_at = now() - interval '4 minutes' where id = $1`,
    [attempt],
  );
const callMade = () => [...term.simulator.journal({ method: 'POST' })].find((entry) => entry.call)?.call;
const person = async () => (await term.sql('select state, attempts, outcome from carillon.people'))[0];

describe('unknown list', () => {
  it('shows what was sent, what came back, and why the result is unknown', async () => {
    const listed = await term.type('unknown list --json');
    expect(listed.json.items).toMatchObject([
      {
        attempt,
        campaign: 'calls-agent-1-from-+14155550100',
        phone: '+14155550123',
        agent: 'agent-1',
        from: '+14155550100',
        key: 'a',
        reason: 'lost',
      },
    ]);
    const { out } = await term.type('unknown list --campaign calls-agent-1-from-+14155550100');
    expect(out).toContain(attempt);
    expect(out).toContain('a call by agent-1 from +14155550100');
    expect(out).toContain('Came back');
    expect(out).toContain('--as not-called from');
  });

  it('is empty when nothing is unknown', async () => {
    await term.type(`unknown resolve ${attempt} --as called`);
    expect((await term.type('unknown list')).out).toBe('There are no unknown attempts.\n');
    expect((await term.type('unknown list --json')).json).toEqual({ items: [], next: null });
  });
});

describe('unknown resolve --as not-called', () => {
  it('is refused while the request may still be on its way, and says until when', async () => {
    const freed = await term.type(`unknown resolve ${attempt} --as not-called`);
    expect(freed).toMatchObject({ code: 2, out: '' });
    expect(freed.err).toMatch(/may still be on its way\. Try again in \d+ s\./);
    expect(await person()).toMatchObject({ state: 'unknown', attempts: 1 });
  });

  it('does not call a person who was suppressed in the meantime', async () => {
    await makeOld();
    await term.type('suppress add +14155550123');
    const freed = await term.type(`unknown resolve ${attempt} --as not-called`);
    expect(freed.out).toContain('will not be: canceled or suppressed');
    expect(await person()).toMatchObject({ state: 'skipped' });
  });
});

describe('unknown resolve --as called', () => {
  it('ends the row without an outcome when it has no id', async () => {
    const called = await term.type(`unknown resolve ${attempt} --as called`);
    expect(called.out).toContain('its outcome is not known');
    expect(await person()).toEqual({ state: 'done', attempts: 1, outcome: null });
  });

  it('lets a call in progress be followed like any other', async () => {
    const called = await term.type(`unknown resolve ${attempt} --as called --call-id ${callMade()}`);
    expect(called.out).toContain('still in progress');
    expect(await person()).toMatchObject({ state: 'calling' });
  });

  it.each(['other-id', 'other-phone'] as const)(
    'changes nothing when the service returns another call (%s)',
    async (kind) => {
      term.simulator.control({ faults: [{ kind, on: 'get' }] });
      const line = `unknown resolve ${attempt} --as called --call-id ${callMade()}`;
      const called = await term.type(line);
      expect(called).toMatchObject({ code: 2, out: '' });
      expect(called.err).toMatch(/Nothing was changed: .*another (call|phone)/);
      expect(await person()).toMatchObject({ state: 'unknown' });
    },
  );

  it('trusts the person when no key is set', async () => {
    const env = { VOICE_API_KEYS: '' };
    const called = await term.type(`unknown resolve ${attempt} --as called --call-id mine --json`, { env });
    expect(called.json).toMatchObject({ state: 'placed', call_id: 'mine' });
    expect(called.err).toContain('The service was not asked');
  });
});

it('has clear words for an attempt that does not exist, and for missing arguments', async () => {
  const missing = await term.type('unknown resolve 0b9f6c5e-4f0c-4a0e-8f39-0f0a3c1c9a11 --as called');
  expect(missing).toMatchObject({ code: 2 });
  expect(missing.err).toContain('The attempt was not found: 0b9f6c5e-4f0c-4a0e-8f39-0f0a3c1c9a11');
  expect((await term.type('unknown resolve nonsense --as called')).err).toContain('not found: nonsense');
  expect((await term.type(`unknown resolve ${attempt}`)).code).toBe(2);
  expect((await term.type(`unknown resolve ${attempt} --as perhaps`)).code).toBe(2);
  expect((await term.type(`unknown resolve ${attempt} --as not-called --call-id x`)).code).toBe(2);
});

it('a call whose 201 was cut off is resolved as not called only by someone who insists', async () => {
  const cut = await openTerminal({ faults: [{ kind: 'cut', next: 1 }] });
  try {
    const made = await cut.type('call create --agent agent-1 --phone +14155550124 --json');
    expect(made.json).toMatchObject({ state: 'unknown' });
    const { attempt: one } = made.json;
    await cut.sql(`update carillon.attempts set expires_at = now() - interval '4 minutes' where id = $1`, [
      one,
    ]);
    const [shown] = (await cut.type('unknown list --json')).json.items;
    expect(shown).toMatchObject({ reason: 'accepted', not_called_from: null });
    const refused = await cut.type(`unknown resolve ${one} --as not-called`);
    expect(refused.code).not.toBe(0);
    expect(refused.err).toContain('began to answer that it made this call');
    expect(refused.err).toContain('--force');
    const many = await cut.type('unknown resolve --all --as not-called --yes');
    expect(many.out).toBe('There are no unknown attempts.\n');
    const freed = await cut.type(`unknown resolve ${one} --as not-called --force --json`);
    expect(freed.json).toMatchObject({ state: 'dropped', recipient_state: 'waiting' });
  } finally {
    await cut.close();
  }
});

describe('the erasure of a person whose call is unknown', () => {
  it('says that nothing is erased yet, and when it will be', async () => {
    const { out } = await term.type('erase +14155550123 --yes');
    expect(out).toContain(
      'Nothing is erased yet; the person is on 1 campaign. The person is not called again.',
    );
    expect(out).toMatch(/1 attempt not over yet: the rest is erased when the call has ended/);
  });
});
