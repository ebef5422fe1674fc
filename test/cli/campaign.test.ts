import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readOrder } from '../../src/control/order/order.ts';
import { layDown } from '../../src/run/drive.ts';
import { takeRunLock } from '../../src/run/prepare.ts';
import { workerReport } from '../ledger/support.ts';
import { makeCampaign, plainOrder, useTerminal } from './terminal.ts';

const term = useTerminal('file');
let id: string;
let count = 0;
let name: string;

beforeEach(async () => {
  count += 1;
  name = `march-${count}`;
  id = await makeCampaign(term.ledger, { name, baseUrl: term.simulator.url }, 3);
});

/** A background worker that the ledger heard of a moment ago. */
const worker = (trouble: string | null = null) =>
  term.ledger.processes.report(
    workerReport('w1', { host: 'box', pid: 7, parts: ['planner', 'dialer'], trouble }),
  );
afterEach(() => term.ledger.processes.leave('w1'));

const stateOf = async (which: string) => (await term.ledger.campaigns.get(which)).state;

describe('campaign list', () => {
  it('shows every campaign with its rows and who dials it', async () => {
    const listed = await term.type('campaign list --json');
    expect(listed.code).toBe(0);
    expect(listed.json.items.find((each: { name: string }) => each.name === name)).toMatchObject({
      state: 'running',
      driver: 'background',
      agent: 'agent-1',
      service: term.simulator.url,
      balance: { rows: 4, waiting: 3, rejected: 1 },
    });
    expect((await term.type('campaign list')).out).toMatch(new RegExp(`${name} +running +background +4`));
  });
});

describe('campaign show', () => {
  it('shows its state, its order and its balance', async () => {
    const shown = await term.type(`campaign show ${name} --json`);
    expect(shown.json).toMatchObject({
      id,
      name,
      balance: { rows: 4, waiting: 3, rejected: 1 },
      max_attempts: 1,
      weight: 1,
      window: null,
    });
    const { out } = await term.type(`campaign show ${name}`);
    expect(out).toContain(`${name} is running`);
    expect(out).toContain('4: 3 waiting, 1 rejected');
    expect(out).toContain('one attempt, no retry');
    await term.ledger.campaigns.change(id, { ...plainOrder, weight: 3 });
    expect((await term.type(`campaign show ${name} --json`)).json.weight).toBe(3);
    expect((await term.type(`campaign show ${name}`)).out).toContain('weight 3 on its keys');
  });

  it('says when a closed window opens', async () => {
    const other = `${name}-closed`;
    const day = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'][(new Date().getUTCDay() + 3) % 7]!;
    const { times } = readOrder({ agent: 'agent-1', days: day });
    await makeCampaign(term.ledger, { name: other, baseUrl: term.simulator.url, times }, 2);
    expect((await term.type(`campaign show ${other}`)).out).toMatch(
      /^Waiting +2 wait for [\d-]+ [\d:]+Z \(\w+ \d+ \w+,? (at )?00:00 in America\/Los_Angeles\)$/m,
    );
  });

  it('says that a campaign rests when its run has ended', async () => {
    const other = `${name}-run`;
    await makeCampaign(term.ledger, { name: other, baseUrl: term.simulator.url, driver: 'run' }, 1);
    expect((await term.type(`campaign show ${other} --json`)).json).toMatchObject({
      driver: 'run',
      run_active: false,
    });
    expect((await term.type(`campaign show ${other}`)).out).toContain('nothing: its run has ended');
  });

  it('says whether a background worker runs, and why one that runs does not dial', async () => {
    const driven = async () => (await term.type(`campaign show ${name}`)).out;
    expect(await driven()).toContain('but none is running: start `carillon up`');
    await worker();
    expect(await driven()).toMatch(/^Driven by +the background workers$/m);
    await worker('policy-differs');
    expect(await driven()).toMatch(
      /^Driven by +the background workers, but none may dial\nNot dialling +box:7: The contact rules of this process .* CARILLON_POLICY/m,
    );
    await term.type(`campaign pause ${name}`);
    expect(await driven()).not.toContain('Not dialling');
  });

  it('has one clear line for a name that no campaign has', async () => {
    const shown = await term.type('campaign show nobody');
    expect(shown).toMatchObject({ code: 2, out: '' });
    expect(shown.err).toBe(
      'carillon: The campaign nobody was not found. Run `carillon campaign list` to see the names.\n',
    );
  });
});

describe('campaign refresh', () => {
  it('says how many records will be asked for again, and who asks', async () => {
    const nothing = await term.type(`campaign refresh ${name}`);
    expect(nothing).toMatchObject({ code: 0, err: '' });
    expect(nothing.out).toContain('are complete');
    const [lane] = await term.ledger.lanes.join(['a']);
    const planned = await term.ledger.attempts.plan(
      lane!.id,
      [{ id, limit: 3, due: 3, queued: 0, places: null }],
      3,
      3,
    );
    for (const [i, attempt] of planned.entries()) {
      // Two of three have ended without a cost.
      await term.sql(
        `with gone as (delete from carillon.attempts where id = $1 returning *)
         insert into carillon.ended_attempts (id, recipient_id, campaign_id, lane_id, number, requests, polls, planned_at,
           phone, state, was, outcome, call_id, cost)
         select id, recipient_id, campaign_id, lane_id, number, 1, 1, planned_at, phone, 'done', 'placed', 'busy', id, $2
         from gone`,
        [attempt.id, i === 0 ? 0 : null],
      );
    }
    const scheduled = await term.type(`campaign refresh ${name} --json`);
    expect(scheduled.json).toEqual({ campaign: name, scheduled: 2 });
    expect(scheduled.err).toContain('carillon worker');
    expect((await term.type(`campaign refresh ${name}`)).out).toContain('the records of 2 calls');
  });
});

describe('campaign pause', () => {
  it('pauses one, and may be repeated', async () => {
    expect((await term.type(`campaign pause ${name} --json`)).json).toMatchObject({ name, state: 'paused' });
    expect(await stateOf(name)).toBe('paused');
    expect((await term.type(`campaign pause ${name}`)).code).toBe(0);
    expect((await term.type(`campaign show ${name}`)).out).toContain('paused: paused by hand');
  });

  it('stops every running campaign of every service with --all', async () => {
    const elsewhere = `${name}-elsewhere`;
    await makeCampaign(term.ledger, { name: elsewhere, baseUrl: 'http://other.example/v1' }, 1);
    const paused = await term.type('campaign pause --all --json');
    const names = paused.json.items.map((each: { name: string }) => each.name);
    expect(names).toEqual(expect.arrayContaining([name, elsewhere]));
    const states = (await term.ledger.campaigns.page(null, 100)).map((line) => line.state);
    expect(states).not.toContain('running');
    expect((await term.type('campaign pause --all')).out).toBe('No campaign is running.\n');
  });

  it('wants either a name or --all', async () => {
    expect((await term.type('campaign pause')).code).toBe(2);
    expect((await term.type(`campaign pause ${name} --all`)).code).toBe(2);
  });
});

describe('campaign create and start', () => {
  it('make the campaign that the API would make, and put it on the background workers', async () => {
    const own = `april-${count}`;
    const made = await term.type(
      `campaign create ${own} --agent a=70 --agent b=30 --window 00:00-24:00 --max-calls 3 --json`,
    );
    expect(made).toMatchObject({ code: 0, err: '' });
    expect(made.json).toEqual((await term.type(`campaign show ${own} --json`)).json);
    expect(made.json).toMatchObject({
      name: own,
      state: 'draft',
      driver: 'background',
      max_calls: 3,
      balance: { rows: 0 },
    });
    const empty = await term.type(`campaign start ${own}`);
    expect(empty).toMatchObject({ code: 2, out: '' });
    expect(empty.err).toContain('has nobody to call');
    expect(empty.err).toContain(`carillon campaign add`);

    writeFileSync(join(term.folder, 'more.csv'), 'phone\n+14155550123\n');
    await term.type(`campaign add ${own} more.csv`);
    const started = await term.type(`campaign start ${own} --json`);
    expect(started.json).toMatchObject({ name: own, state: 'running', driver: 'background' });
    expect(started.err).toContain('`carillon up` or `carillon worker` must be running');
    expect((await term.type(`campaign start ${own}`)).out).toBe(
      `${own} is started: the background workers dial it.\n`,
    );
  });

  it('say what comes next, and refuse a name that is taken and an order that is wrong', async () => {
    const made = await term.type(['campaign', 'create', `may ${count}`, '--agent', 'a']);
    expect(made.out).toBe(
      `may ${count} is a draft without people.\n` +
        `Add people with \`carillon campaign add 'may ${count}' people.csv\`.\n` +
        `Then start it with \`carillon campaign start 'may ${count}'\`.\n`,
    );
    const taken = await term.type(`campaign create ${name} --agent a`);
    expect(taken).toMatchObject({ code: 2, out: '' });
    expect(taken.err).toContain(`A campaign named ${name} already exists`);
    const wrong = await term.type('campaign create june --agent a --max-calls many');
    expect(wrong).toMatchObject({ code: 2, out: '' });
    expect((await term.type('campaign create june')).err).toContain('The option --agent <id> is missing');
    const unset = await term.type('campaign create june --agent a', { env: { VOICE_BASE_URL: '' } });
    expect(unset.err).toContain('VOICE_BASE_URL is not set');
    expect((await term.type('campaign show june')).code).toBe(2);
  });
});

describe('campaign resume', () => {
  const runId = '0b9f6c5e-4f0c-4a0e-8f39-0f0a3c1c9a11';

  it('gives the campaign to the background workers and says that they must run', async () => {
    await term.type(`campaign pause ${name}`);
    const resumed = await term.type(`campaign resume ${name}`);
    expect(resumed.out).toContain('the background workers dial it');
    expect(resumed.err).toContain('`carillon up` or `carillon worker` must be running');
    expect(await stateOf(name)).toBe('running');
  });

  it('says that the limit of its run no longer applies', async () => {
    await worker();
    await term.ledger.campaigns.take(id, runId);
    await layDown(term.ledger, await term.ledger.campaigns.get(id), runId, { kind: 'limit' });
    const resumed = await term.type(`campaign resume ${name}`);
    expect(resumed.err).toBe('The run’s --limit no longer applies: 3 people are left and will be called.\n');
  });

  it('says nothing of a limit when nobody is left to call', async () => {
    await worker();
    await term.ledger.campaigns.take(id, runId);
    await layDown(term.ledger, await term.ledger.campaigns.get(id), runId, { kind: 'limit' });
    expect(await term.ledger.lostHistory.loseWaiting(id, 1_000)).toBe(3);
    const resumed = await term.type(`campaign resume ${name}`);
    expect([resumed.code, resumed.err]).toEqual([0, '']);
  });

  it('leaves it to its run when that is active', async () => {
    const other = `${name}-run`;
    const run = await makeCampaign(
      term.ledger,
      { name: other, baseUrl: term.simulator.url, driver: 'run' },
      1,
    );
    await term.ledger.campaigns.take(run, runId);
    const lock = await takeRunLock(term.ledger, run, other);
    await term.type(`campaign pause ${other}`);
    const resumed = await term.type(`campaign resume ${other} --json`);
    await lock.release();
    expect(resumed.json).toMatchObject({ name: other, state: 'running', driver: 'run', run_active: true });
    expect(resumed.err).toBe('');
  });

  it('frees the rows that a run parked when it left for lack of credit', async () => {
    await term.ledger.campaigns.parkRest(id, 'no credit');
    await term.type(`campaign resume ${name}`);
    expect((await term.ledger.reports.standing(id)).counts).toMatchObject({ parked: 0, waiting: 3 });
  });
});

describe('campaign cancel', () => {
  it('says how many rows are skipped', async () => {
    const canceled = await term.type(`campaign cancel ${name} --yes --json`);
    expect(canceled.json).toMatchObject({
      name,
      state: 'canceled',
      balance: { skipped: 3, waiting: 0, calling: 0 },
    });
    expect((await term.type(`campaign cancel ${name}`)).out).toBe(`${name} was already canceled.\n`);
    expect((await term.ledger.reports.standing(id)).counts).toMatchObject({ skipped: 3, waiting: 0 });
  });

  it('asks at a terminal, and changes nothing if the answer is no', async () => {
    const asked = await term.type(`campaign cancel ${name}`, { answer: 'n' });
    expect(asked.err).toContain(`Cancel ${name}? 3 rows will not be called. [y/N]`);
    expect(await stateOf(name)).toBe('running');
    await term.type(`campaign cancel ${name}`, { answer: 'y' });
    expect(await stateOf(name)).toBe('canceled');
  });

  it('does not ask with --yes', async () => {
    const canceled = await term.type(`campaign cancel ${name} --yes`, { answer: 'n' });
    expect(canceled.out).toBe(`${name} is canceled: 3 rows skipped.\n`);
  });
});

describe('campaign export', () => {
  const read = (file: string) => readFileSync(join(term.folder, file), 'utf8');

  it('writes the results to the current folder, with the input’s own columns', async () => {
    const exported = await term.type(`campaign export ${name} --json`);
    expect(exported.json).toEqual({ campaign: name, out: `${name}.results.csv`, rows: 3 });
    const [header, first] = read(`${name}.results.csv`).split('\n');
    expect(header).toMatch(/^row,phone,name,state,outcome,attempts,.*,error,in_phone,in_city$/);
    expect(first).toMatch(/^2,\+14155551000,Person 1,waiting,.*,\+14155551000,Oakland$/);
  });

  it('writes NDJSON and the rejected rows when requested', async () => {
    await term.type(`campaign export ${name} --out all.ndjson --rejected bad.csv`);
    const lines = read('all.ndjson').trim().split('\n');
    expect(lines).toHaveLength(3);
    expect(JSON.parse(lines[0]!)).toMatchObject({ row: 2, state: 'waiting', in_city: 'Oakland' });
    expect(read('bad.csv')).toBe(`phone,city,line,reason\nx,'=1+1,5,"""x"" is not a number"\n`);
  });

  it('writes only to stdout with --out -', async () => {
    const exported = await term.type(`campaign export ${name} --out -`);
    expect(exported.out.split('\n')).toHaveLength(5);
    expect(exported.err).toContain('3 rows');
  });

  it('refuses an unknown format before it opens anything', async () => {
    const exported = await term.type(`campaign export ${name} --out all.xlsx`);
    expect(exported.code).toBe(2);
    expect(exported.err).toContain('.csv, .ndjson or .parquet');
  });
});

describe('a mistyped command', () => {
  it('is one clear line with the way to the help', async () => {
    const lines = ['campaign', 'campaign lst', 'campaign list --jsn', 'campaign show', 'campaign show a b'];
    for (const line of lines) {
      const typed = await term.type(line);
      expect([line, typed.code, typed.out]).toEqual([line, 2, '']);
      expect(typed.err).toMatch(/^carillon: .+--help.+\n$/);
    }
  });

  it('does not bring back the whole of what was typed as a value', async () => {
    const typed = await term.type(['campaign', 'show', 'x'.repeat(9_000)]);
    expect([typed.code, typed.err]).toEqual([2, expect.stringMatching(/^carillon: .*x{50}….+\n$/)]);
    expect(typed.err.length).toBeLessThan(1_000);
  });
});
