import { beforeEach, describe, expect, test } from 'vitest';
import { operations } from '../../simulator/faults.ts';
import { type Fates, names, openService, phones, type Service, speeches } from './speeches.ts';
import type { Answered } from './support.ts';

/** What the tests of the descriptions do not see through a client: the words, the refusals, and where faults strike. */
describe.each(names)('%s', (name) => {
  const speech = speeches[name];
  const { statuses } = speech;
  let sim: Service;
  beforeEach(async () => {
    sim = await openService(name, { keys: ['secret'] });
  });

  const read = (id: string, secret?: string) => sim.send({ method: 'GET', path: speech.get(id) }, secret);
  const holdRefusal = (answer: Answered, status: number) => {
    expect(answer.status).toBe(status);
    expect(speech.refusal(answer.json)).toMatch(/\w/);
  };

  test('a call goes through the published live states', async () => {
    const id = speech.id((await sim.dial(phones.answered)).json);
    const [queued, ringing, talking] = speech.live;
    expect(speech.said(await sim.read(id))).toBe(queued);
    sim.clock.pass(1300);
    expect(speech.said(await sim.read(id))).toBe(ringing);
    await expect
      .poll(async () => {
        sim.clock.pass(1000);
        return speech.said(await sim.read(id));
      })
      .toBe(talking);
  });

  test('a call’s end has the published words', async () => {
    for (const [fate, word] of Object.entries(speech.ended)) {
      const { json } = await sim.dial(phones[fate as Fates]);
      sim.clock.pass(2_500_000);
      expect([fate, speech.said(await sim.read(speech.id(json)))]).toEqual([fate, word]);
    }
  });

  test('a call is in the list after the lag that was set, and in the journal with its stamp', async () => {
    sim.control({ listLagMs: 5000 });
    const { json } = await sim.dial(phones.answered, 'att_9');
    await sim.dial(phones['no-answer'], 'att_10');
    expect(await sim.find('att_9', phones.answered)).toEqual([]);
    sim.clock.pass(6000);
    expect(await sim.find('att_9', phones.answered)).toContain(speech.id(json));
    const [entry] = [...sim.journal()];
    const call = speech.id(json);
    expect(entry).toMatchObject({ phone: phones.answered, stamp: 'att_9', answer: speech.success, call });
  });

  test('refuses a wrong key, a missing one, an unknown call and path, and requests above its rate', async () => {
    holdRefusal(await read(speech.unknownId, 'wrong'), statuses.badKey);
    holdRefusal(await read(speech.unknownId, ''), statuses.noKey ?? statuses.badKey);
    holdRefusal(await read(speech.unknownId), statuses.unknownCall);
    holdRefusal(await sim.send({ method: 'GET', path: '/nothing/here' }), 404);
    sim.control({ rate: 1, burst: 1 });
    await read(speech.unknownId);
    holdRefusal(await read(speech.unknownId), 429);
  });

  test('refuses a create that does not fit, and one with a field too many only if it is strict', async () => {
    const { path, body } = speech.create(phones.answered, 'att_1');
    holdRefusal(
      await sim.send({ method: 'POST', path, body: '{"a": ' }),
      statuses.badJson ?? statuses.badBody,
    );
    const without = speech.required.map((field): [string, unknown] => [field, { [field]: undefined }]);
    const cases = [...Object.entries(speech.wrong), ...without, ['surprise', { surprise: 1 }] as const];
    for (const [what, over] of cases) {
      const answer = await sim.dial(phones.answered, 'att_1', over);
      expect([what, answer.status]).toEqual([what, statuses.badBody]);
      holdRefusal(answer, statuses.badBody);
    }
    expect(sim.state().created).toBe(0);
    const lenient = await openService(name, { strict: false });
    const taken = await lenient.send({ method: 'POST', path, body: { ...body, surprise: 1 } });
    expect(taken.status).toBe(speech.success);
  });

  test('faults strike each operation', async () => {
    const id = speech.id((await sim.dial(phones.answered)).json);
    const asks = {
      create: () => {
        // Some services refuse two calls to a number within seconds.
        sim.clock.pass(11_000);
        return sim.dial(phones.busy);
      },
      get: () => read(id),
      list: () => sim.send(speech.list),
      calls: () => sim.send(speech.calls('att_1', phones.answered, sim.clock.now() - 60_000)),
    };
    for (const on of operations.filter((one) => one !== 'update')) {
      sim.control({ faults: [{ kind: 'error', on, status: 503 }] });
      for (const [operation, ask] of Object.entries(asks)) {
        const answer = await ask();
        if (on === operation) holdRefusal(answer, 503);
        else expect(answer.status).toBe(operation === 'create' ? speech.success : 200);
      }
    }
  });

  test('answers can be about another call, or have another status than it', async () => {
    const first = speech.id((await sim.dial(phones.answered)).json);
    sim.control({ faults: [{ kind: 'same-id' }] });
    expect(speech.id((await sim.dial(phones.busy)).json)).toBe(first);
    sim.control({ faults: [{ kind: 'other-id' }] });
    expect(speech.id((await sim.dial(phones.failed)).json)).not.toBe(first);
    sim.control({ faults: [{ kind: 'other-phone', on: 'get' }] });
    expect(speech.phoneOf(await sim.read(first))).not.toBe(phones.answered);
    sim.clock.pass(2_500_000);
    sim.control({ faults: [{ kind: 'odd-status', on: 'get' }] });
    expect(JSON.stringify(await sim.read(first))).toContain('unclear');
  });
});
