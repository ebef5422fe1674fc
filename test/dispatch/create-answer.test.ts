import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { openLedger } from '../../src/ledger/ledger.ts';
import { person, probeOf } from '../ledger/support.ts';
import { freePort } from '../support/ports.ts';
import { startDatabaseProxy } from '../support/proxy.ts';
import { until } from '../support/until.ts';
import { delayAnswers, shareHall } from './support.ts';

const hall = await shareHall();

const events = async (id: string) => {
  const { recipientId } = (await hall.books.ledger.reports.attempt(id))!;
  const told = await hall.books.ledger.calls.history(recipientId, 100);
  return told.map(({ kind, detail }) => (kind === 'late-call' ? `${kind} ${detail}` : kind));
};

describe('an accepted create', () => {
  it('is followed: its next poll has a job, and its deadline is set', () =>
    hall.with({ deadlineMs: 60_000 }, async (stage) => {
      const { id } = await stage.onePlanned({ proved: false });
      stage.clock.freeze();
      await stage.dial(id);
      const attempt = (await stage.ledger.attempts.load(id))!;
      expect(attempt.state).toBe('placed');
      expect(attempt.deadlineAt!.getTime() - stage.clock.now()).toBe(60_000);
      expect(await stage.jobs('track')).toEqual([id]);
      // It proved the order: the planner is notified at once.
      expect(stage.nudges()).toBe(1);
    }));

  it('is followed even when the ledger already has it as unknown', () =>
    hall.with({}, async (stage) => {
      const { campaign, id } = await stage.onePlanned();
      const { lane, reached, release } = delayAnswers(stage.lane);
      const dialled = stage.dial(id, lane);
      await reached(1);
      expect(await stage.crash()).toBe(1);
      release();
      await dialled;
      expect(await stage.attempt(id)).toMatchObject({ state: 'placed', recipientState: 'calling' });
      expect((await stage.people(campaign))[0]!.attempts).toBe(1);
    }));

  it('is recorded when its attempt was freed in the meantime, and does not cause another call', () =>
    hall.with({}, async (stage) => {
      const { campaign, id } = await stage.onePlanned();
      const { lane, reached, release } = delayAnswers(stage.lane);
      const dialled = stage.dial(id, lane);
      await reached(1);
      await stage.crash();
      expect(await stage.free(id)).toBe(true);
      release();
      await dialled;
      const [sent] = [...stage.sim.journal({ method: 'POST' })];
      expect(await events(id)).toEqual([
        'planned',
        'dialing',
        'unknown',
        'dropped',
        'resolved',
        `late-call ${sent!.call}`,
      ]);
      expect(await stage.states(campaign)).toEqual(['waiting']);
      expect(await stage.jobs('track')).toEqual([]);
    }));
});

describe('a busy service', () => {
  it('costs the attempt nothing: the same one waits, and the whole lane rests', () =>
    hall.with({ simulator: { faults: [{ kind: 'error', status: 429, next: 1 }] } }, async (stage) => {
      const { campaign, id } = await stage.onePlanned();
      const step = await stage.dial(id);
      expect(step.kind).toBe('rest');
      expect(await stage.attempt(id)).toMatchObject({ state: 'planned', requests: 1 });
      expect((await stage.people(campaign))[0]!.attempts).toBe(0);
      expect((await stage.engine.bucket.read(stage.lane.bucket))!.restMs).toBeGreaterThan(0);
      await stage.engine.bucket.wake(stage.lane.bucket);
      expect(await stage.dial(id)).toEqual({ kind: 'done' });
      expect(await stage.attempt(id)).toMatchObject({ state: 'placed', requests: 2 });
      expect((await stage.ledger.attempts.load(id))!.number).toBe(1);
    }));
});

describe('a service without credit', () => {
  it('parks what is planned on the key, and plans it again when a probe is accepted', () =>
    hall.with({ simulator: { credits: 0 } }, async (stage) => {
      const campaign = await stage.campaign({ people: 3 });
      const [first] = await stage.plan(campaign);
      expect(await stage.dial(first!)).toEqual({ kind: 'done' });
      expect(await stage.states(campaign)).toEqual(['parked', 'parked', 'parked']);
      expect(stage.lane.state).toBe('out_of_credit');
      expect((await stage.ledger.lanes.list())[0]!.state).toBe('out_of_credit');
      expect(stage.nudges()).toBe(1);

      stage.sim.control({ credits: 10 });
      await stage.ledger.lanes.probeNow();
      const probe = (await probeOf(stage.ledger, stage.lane.id))!;
      expect(await stage.dial(probe)).toEqual({ kind: 'done' });
      expect(stage.lane.state).toBe('open');
      expect((await stage.states(campaign)).sort()).toEqual(['calling', 'queued', 'queued']);
      expect(await stage.jobs('dial')).toHaveLength(2);
    }));

  it('counts as one with credit when it judges the request itself', () =>
    hall.with({ simulator: { credits: 0 } }, async (stage) => {
      const { campaign, id } = await stage.onePlanned();
      await stage.dial(id);
      expect(stage.lane.state).toBe('out_of_credit');
      const order = `update carillon.campaigns set terms = terms || '{"agents": [{"id": "agent-unknown", "share": 1}]}' where id = $1`;
      await hall.books.sql(order, [campaign]);
      await stage.ledger.lanes.probeNow();
      await stage.dial((await probeOf(stage.ledger, stage.lane.id))!);
      expect((await stage.ledger.lanes.list())[0]!.state).toBe('open');
    }));
});

describe('a key that is not accepted', () => {
  it('is closed, and its plans go to an accepted key', () =>
    hall.with({ keys: ['a', 'b'], simulator: { keys: ['secret-of-b'] } }, async (stage) => {
      const [a, b] = stage.lanes;
      const campaign = await stage.campaign({ people: 3 });
      const ids = await stage.planOn(a!.id, campaign, 3);
      expect(await stage.dial(ids[0]!, a)).toEqual({ kind: 'done' });
      expect(a!.state).toBe('denied');
      expect(await stage.jobs('dial', b)).toEqual([...ids].sort());
      expect((await stage.attempt(ids[0]!)).key).toBe('b');
      for (const id of ids) expect(await stage.dial(id, b)).toEqual({ kind: 'done' });
      expect(stage.created()).toBe(3);
    }));

  it('keeps its plans without another one', () =>
    hall.with({ simulator: { keys: ['another'] } }, async (stage) => {
      const { campaign, id } = await stage.onePlanned();
      await stage.dial(id);
      expect(await stage.attempt(id)).toMatchObject({ state: 'planned', key: 'main' });
      expect(await stage.states(campaign)).toEqual(['queued']);
      expect((await stage.ledger.lanes.list())[0]).toMatchObject({ state: 'denied' });
      expect((await stage.ledger.lanes.list())[0]!.reason).not.toContain('secret-of-main');
    }));
});

describe('a refusal', () => {
  it('of a person’s data affects only that person, with the service’s words', () =>
    hall.with({}, async (stage) => {
      const campaign = await stage.campaign();
      await stage.add(campaign, [person(1, { phone: '+0123' }), person(2)]);
      const ids = await stage.plan(campaign);
      for (const id of ids) await stage.dial(id);
      const people = await stage.people(campaign);
      expect(people.map((each) => each.state)).toEqual(['rejected', 'calling']);
      expect(people[0]!.reason).toMatch(/phone/);
      expect((await stage.ledger.reports.standing(campaign)).faults).toBe(0);
    }));

  it('of the order three times in a row pauses the campaign, and gives all its rows back', () =>
    hall.with({}, async (stage) => {
      const campaign = await stage.campaign({ people: 6, agents: [{ id: 'agent-unknown', share: 1 }] });
      const ids = await stage.plan(campaign, 5);
      for (const id of ids.slice(0, 3)) expect(await stage.dial(id)).toEqual({ kind: 'done' });
      expect(await stage.ledger.campaigns.get(campaign)).toMatchObject({ state: 'paused' });
      expect((await stage.ledger.campaigns.get(campaign)).reason).toMatch(/agent/i);
      expect(new Set(await stage.states(campaign))).toEqual(new Set(['waiting']));
      expect(await stage.dial(ids[3]!)).toMatchObject({ kind: 'drop' });
      expect(stage.created()).toBe(0);
    }));
});

describe('no readable answer', () => {
  it.each([
    ['a connection that breaks', { kind: 'reset' }],
    ['silence', { kind: 'hang' }],
    ['a server error', { kind: 'error', status: 500 }],
    ['an error page', { kind: 'html', status: 502 }],
    ['an accepted call without an id', { kind: 'broken-json' }],
    ['a redirect', { kind: 'redirect' }],
    ['a 201 that is cut off', { kind: 'cut' }],
  ] as const)('as with %s is unknown, and is never sent again', (_what, fault) =>
    hall.with({ simulator: { faults: [fault] }, timeoutMs: 1_500 }, async (stage) => {
      const { campaign, id } = await stage.onePlanned();
      expect(await stage.dial(id)).toEqual({ kind: 'done' });
      expect(await stage.attempt(id)).toMatchObject({
        state: 'unknown',
        reason: fault.kind === 'cut' ? 'accepted' : 'lost',
        requests: 1,
      });
      expect(await stage.people(campaign)).toMatchObject([{ state: 'unknown', attempts: 1 }]);
      await stage.stations.reconcile.round();
      await stage.stations.plan();
      expect(await stage.jobs('dial')).toEqual([]);
      expect(await stage.dial(id)).toMatchObject({ kind: 'drop' });
      expect(stage.sim.state().requests).toBe(1);
      expect((await stage.ledger.unknowns.list(campaign))[0]!.detail).toBeTruthy();
    }),
  );

  it('is reported in words that the ledger can hold, whatever the service wrote', async () => {
    // Words that are too long for a line: one of the two is cut in the middle of a character.
    const words = (path: string) => `${'x'.repeat(path.startsWith('/v1') ? 296 : 297)}👋👋👋`;
    const server = createServer((request, response) => {
      request.resume().on('end', () => {
        response
          .writeHead(500, { 'content-type': 'application/json' })
          .end(JSON.stringify({ error: words(request.url!) }));
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    try {
      for (const shorter of [0, 1]) {
        await hall.with({ baseUrl: `http://127.0.0.1:${port}/v${shorter}` }, async (stage) => {
          const { id } = await stage.onePlanned({ from: 1 + shorter });
          expect(await stage.dial(id)).toEqual({ kind: 'done' });
          expect((await stage.attempt(id)).state).toBe('unknown');
        });
      }
    } finally {
      server.close();
    }
  });
});

describe('a service that cannot be reached', () => {
  it('spends nothing: no request is counted and the attempt stays planned', async () => {
    const port = await freePort();
    await hall.with({ baseUrl: `http://127.0.0.1:${port}/v1` }, async (stage) => {
      const { id } = await stage.onePlanned();
      const first = await stage.dial(id);
      expect(first.kind).toBe('rest');
      expect(await stage.attempt(id)).toMatchObject({ state: 'planned', requests: 0 });
      expect((await stage.engine.bucket.read(stage.lane.bucket))!.restMs).toBeGreaterThan(0);
    });
  });

  it('includes one whose answer, according to the owner, means that no call was made', async () => {
    const profile = { createdNothing: [503] };
    await hall.with({ profile, simulator: { faults: [{ kind: 'error', status: 503 }] } }, async (stage) => {
      const { id } = await stage.onePlanned();
      expect((await stage.dial(id)).kind).toBe('rest');
      expect(await stage.attempt(id)).toMatchObject({ state: 'planned', requests: 1 });
    });
  });
});

describe('a ledger that is away when the answer comes', () => {
  /** A ledger behind a proxy that is cut just before one of its verbs. */
  async function fragile(verb: 'placed' | 'withhold') {
    const proxy = await startDatabaseProxy(hall.books.url);
    const away = await openLedger(proxy.url, 'http://unused.example/v1', undefined, 4);
    let cut = false;
    const through = (ledger: Ledger): Ledger => ({
      ...ledger,
      attempts: {
        ...ledger.attempts,
        [verb]: async (item: never) => {
          if (!cut) await proxy.cut();
          cut = true;
          return away.attempts[verb](item);
        },
      },
    });
    onTestFinished(async () => {
      await away.close();
      await proxy.close();
    });
    return { through, restore: proxy.restore, wasCut: () => cut };
  }

  it('does not lose the call id: it is kept on disk and reported later', async () => {
    const line = await fragile('placed');
    await hall.with({ through: line.through }, async (stage) => {
      const { id } = await stage.onePlanned();
      expect(await stage.dial(id)).toEqual({ kind: 'done' });
      expect(await stage.attempt(id)).toMatchObject({ state: 'dialing', callId: null });
      expect(readdirSync(join(stage.home, 'spool'))).toEqual([expect.stringMatching(/^dialer-1\..+\.json$/)]);
      await line.restore();
      await stage.stations.reconcile.start();
      const [sent] = [...stage.sim.journal({ method: 'POST' })];
      expect(await stage.attempt(id)).toMatchObject({ state: 'placed', callId: sent!.call });
      expect(await stage.jobs('track')).toEqual([id]);
      expect(readdirSync(join(stage.home, 'spool'))).toEqual([]);
    });
  });

  it('repeats its report when the disk does not take the call id either', async () => {
    const line = await fragile('placed');
    await hall.with({ through: line.through }, async (stage) => {
      // A file is where the folder should be.
      writeFileSync(join(stage.home, 'spool'), '');
      const { id } = await stage.onePlanned();
      const dialled = stage.dial(id);
      await until(line.wasCut, (cut) => cut);
      await line.restore();
      expect(await dialled).toEqual({ kind: 'done' });
      const [sent] = [...stage.sim.journal({ method: 'POST' })];
      expect(await stage.attempt(id)).toMatchObject({ state: 'placed', callId: sent!.call });
    });
  });

  it('does not turn a clear answer into an unknown one', async () => {
    const line = await fragile('withhold');
    const simulator = { faults: [{ kind: 'error', status: 429, next: 1 }] } as const;
    await hall.with({ through: line.through, simulator }, async (stage) => {
      const { id } = await stage.onePlanned();
      const dialled = stage.dial(id);
      await until(line.wasCut, (cut) => cut);
      await line.restore();
      expect((await dialled).kind).toBe('rest');
      expect((await stage.attempt(id)).state).toBe('planned');
    });
  });
});
