import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { useTerminal } from './terminal.ts';

const term = useTerminal('test', {
  shares: { busy: 1 },
  faults: [{ kind: 'reset', when: 'after', next: 3 }],
});
let attempts: string[];

/** Three calls of one agent whose answers were lost after the service had made them. */
beforeEach(async () => {
  attempts = [];
  for (const phone of ['+14155550121', '+14155550122', '+14155550123']) {
    attempts.push((await term.type(`call create --agent agent-1 --to ${phone} --json`)).json.attempt);
  }
});

const campaign = 'calls-agent-1';
const makeOld = (ids: string[]) =>
  term.sql(
    `update carillon.attempts set expires_at = now() - interval '4 minutes' where id = any ($1::uuid[])`,
    [ids],
  );
const states = async () =>
  (await term.sql('select state from carillon.people order by row')).map((row) => row.state);

describe('unknown resolve of many', () => {
  it('frees the due ones of a campaign, names the others, and exits with 3', async () => {
    await makeOld(attempts.slice(0, 2));
    const done = await term.type(
      `unknown resolve --campaign ${campaign} --as not-called --reason outage --yes --json`,
    );
    expect(done).toMatchObject({
      code: 3,
      json: {
        as: 'not-called',
        matched: 3,
        resolved: 2,
        failed: [{ attempt: attempts[2], code: 'attempt-state' }],
      },
    });
    expect(await states()).toEqual(['waiting', 'waiting', 'unknown']);
    const events = await term.sql(`select detail from carillon.history where kind = 'resolved'`);
    expect(events.map((each) => each.detail)).toEqual(['not called: outage', 'not called: outage']);
    const early = await term.type(`unknown resolve --campaign ${campaign} --as not-called --yes`);
    expect(early).toMatchObject({
      code: 3,
      out: `Resolved 0 of 1 unknown attempt of ${campaign} as not-called.\n${attempts[2]}: The request of this attempt may still be on its way.\n`,
      err: '`carillon unknown list` shows when each can be resolved as not called.\n',
    });
    await makeOld(attempts);
    expect((await term.type('unknown resolve --all --as not-called --yes')).out).toBe(
      'Resolved 1 of 1 unknown attempt as not-called.\n',
    );
    expect((await term.type('unknown resolve --all --as not-called --yes')).out).toBe(
      'There are no unknown attempts.\n',
    );
    expect((await term.type('audit')).code).toBe(0);
  });

  it('takes a CSV of attempts and the calls that were found for them', async () => {
    term.simulator.control({ speed: 100_000 });
    const calls = [...term.simulator.journal({ method: 'POST' })].map((entry) => entry.call);
    writeFileSync(
      join(term.folder, 'found.csv'),
      `attempt,call_id,note\n${attempts[0]},${calls[0]},mine\n${attempts[1]},,no id\n${attempts[2]},nonsense,?\n`,
    );
    const poll = async () => (await term.type(`call show ${calls[0]} --json`)).json.status;
    await expect.poll(poll).toBe('busy');
    const done = await term.type('unknown resolve --file found.csv --as called --yes --json');
    expect(done).toMatchObject({
      code: 3,
      json: { matched: 3, resolved: 2, failed: [{ attempt: attempts[2], code: 'call-unknown' }] },
    });
    expect(await term.sql('select state, outcome from carillon.people order by row')).toEqual([
      { state: 'done', outcome: 'busy' },
      { state: 'done', outcome: null },
      { state: 'unknown', outcome: null },
    ]);
    writeFileSync(join(term.folder, 'wrong.csv'), 'id\nx\n');
    expect((await term.type('unknown resolve --file wrong.csv --as called')).err).toContain(
      'has no column named attempt',
    );
    const missing = await term.type('unknown resolve --file none.csv --as called');
    expect(missing).toMatchObject({ code: 2, err: expect.stringContaining('none.csv does not exist') });
    const folder = await term.type('unknown resolve --file . --as called');
    expect(folder).toMatchObject({ code: 2, err: expect.stringContaining('. is a folder, not a file') });
  });

  it('asks at a terminal first, and does nothing without a yes', async () => {
    await makeOld(attempts);
    const line = `unknown resolve --campaign ${campaign} --as not-called`;
    const no = await term.type(line, { answer: 'n' });
    expect(no.err).toContain(
      'Resolve 3 unknown attempts of calls-agent-1 as not called? These people may be called again.',
    );
    expect(no.err).toContain('Nothing was changed.');
    expect(await states()).toEqual(['unknown', 'unknown', 'unknown']);
    const yes = await term.type(line, { answer: 'y' });
    expect(yes.out).toBe('Resolved 3 of 3 unknown attempts of calls-agent-1 as not-called.\n');
  });

  it('requires a campaign, attempts or a file', async () => {
    for (const words of ['', '--all --campaign x', `${attempts[0]} --all`, '--all --call-id x']) {
      expect((await term.type(`unknown resolve ${words} --as called`)).code, words).toBe(2);
    }
  });

  it('settles a stale call from the service’s own record, without its id as an argument', async () => {
    const [first] = [...term.simulator.journal({ method: 'POST' })];
    await term.sql(
      `update carillon.attempts set call_id = $2, placed_at = now(), reason = 'stale' where id = $1`,
      [attempts[0], first!.call],
    );
    const listed = (await term.type('unknown list --json')).json.items;
    expect(listed.find((each: { attempt: string }) => each.attempt === attempts[0])).toMatchObject({
      reason: 'stale',
      call_id: first!.call,
      not_called_from: null,
    });
    const shown = await term.type('campaign show calls-agent-1');
    expect(shown.out).toContain(
      'could not confirm whether 2 of these calls were placed; 1 was placed, but its end was never reported. Review:',
    );
    expect((await term.type('unknown list')).out).toContain(`${first!.call}, last seen`);
    await makeOld(attempts);
    // All but this one may be settled as not called: the service has it.
    expect((await term.type('unknown resolve --all --as not-called --yes --json')).json).toMatchObject({
      matched: 2,
      resolved: 2,
    });
    term.simulator.control({ speed: 100_000 });
    const poll = async () => (await term.type(`call show ${first!.call} --json`)).json.status;
    await expect.poll(poll).toBe('busy');
    const done = await term.type(`unknown resolve ${attempts[0]} --as called --json`);
    expect(done.json).toMatchObject({ state: 'done', outcome: 'busy', call_id: first!.call });
  });

  it('lists phones masked for people, and in full for programs', async () => {
    const listed = await term.type('unknown list');
    expect(listed.out).toContain('+1415•••21');
    expect(listed.out).not.toContain('+14155550121');
    expect((await term.type('unknown list --json')).json.items[0].phone).toBe('+14155550121');
  });
});
