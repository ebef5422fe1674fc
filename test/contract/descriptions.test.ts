import { afterEach, describe, expect, test } from 'vitest';
import { type Simulator, startSimulator } from '../../simulator/server.ts';
import type { SimulatorOptions } from '../../simulator/settings.ts';
import { type ServiceName, serviceNames } from '../../simulator/settings.ts';
import { type Clock, systemClock } from '../../src/base/clock.ts';
import type { Call, CallInput } from '../../src/voice/call.ts';
import { createVoiceClient, type VoiceClient } from '../../src/voice/client.ts';
import { describeService } from '../../src/voice/load-service.ts';

/** The duties of every description, against the service that the simulator speaks: one suite, as the engines have. */
const names = serviceNames.filter((name) => name !== 'standard');
const stamp = '6f1d2c3b-0a4e-4d7f-9b1a-2c3d4e5f6a7b';
/** The name of one of its agents, where an agent must be one that exists. */
const agents: Partial<Record<ServiceName, string>> = { bolna: 'Reminder', dograh: 'Reminder' };
/** Services whose records do not tell who was busy. */
const withoutBusy: readonly ServiceName[] = ['elevenlabs', 'ultravox'];

const opened: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.close();
});

async function open(service: ServiceName, options: SimulatorOptions = {}, key = 'secret') {
  const sim = await startSimulator({ service, rate: null, speed: 2_000, keys: ['secret'], ...options });
  opened.push(sim);
  return { sim, client: await connect(sim, service, key) };
}

async function connect(
  sim: Simulator,
  service: ServiceName,
  key: string,
  parts: { clock?: Clock } = {},
): Promise<VoiceClient> {
  const shipped = describeService(service);
  // Its phone numbers are those of one telephony configuration, or of one workspace.
  const own = { telephony_configuration_id: '1', workspace: 'ws_1' };
  const settings = Object.fromEntries(
    Object.entries(shipped.settings ?? {}).map(([name, value]) => [
      name,
      own[name as keyof typeof own] ?? value,
    ]),
  );
  const description = { ...shipped, settings };
  const client = createVoiceClient({ baseUrl: sim.url, key, service: description, ...parts });
  opened.push(client);
  if (client.can.numbers) await client.numbers();
  await client.agents();
  return client;
}

const order = (service: ServiceName, more: Partial<CallInput> = {}): CallInput => ({
  agentId: agents[service] ?? 'agent-1',
  phone: '+14155550123',
  name: 'Ada Park',
  variables: { plan: 'gold', visits: 3 },
  from: { number: '+14155550100' },
  stamp,
  ...more,
});

async function ended(client: VoiceClient, id: string, agentId: string, handle: string | null): Promise<Call> {
  let last: Call | null = null;
  await expect
    .poll(async () => {
      const answer = await client.get({ id, agentId, handle });
      if (!answer.ok) throw new Error(answer.fault.message);
      last = answer.value;
      const { stage, isFinal } = last;
      return stage.kind !== 'live' && (isFinal || (stage.kind === 'ended' && stage.outcome !== 'answered'));
    })
    .toBe(true);
  return last!;
}

test.each(['synthflow', 'dograh'] as const)(
  '%s: a key is checked, and calls are made, before its own settings are given',
  async (service) => {
    const sim = await startSimulator({ service, rate: null, keys: ['secret'] });
    opened.push(sim);
    const client = createVoiceClient({ baseUrl: sim.url, key: 'secret', service: describeService(service) });
    opened.push(client);
    expect(client.can.numbers).toBe(false);
    expect(await client.check()).toMatchObject({ ok: true });
    await client.agents();
    expect(await client.create(order(service, { from: null }))).toMatchObject({ ok: true });
    // One of the two wants the id of the caller number.
    const [setting] = Object.keys(describeService(service).settings!);
    const from = service === 'dograh' ? { number: '+14155550100' } : { numberId: 'n-1' };
    expect(client.lacks(order(service, { from }))).toBeNull();
    expect(await client.create(order(service, { from }))).toMatchObject({
      fault: { kind: 'refused', message: expect.stringContaining(`settings.${setting} in VOICE_PROFILE`) },
    });
  },
);

describe.each(names)('%s', (service) => {
  const agentId = agents[service] ?? 'agent-1';

  test('takes a call with a name, variables, a caller and the mark of its attempt, and tells its end', async () => {
    const { sim, client } = await open(service, { phones: { '+14155550123': 'answered' } });
    const placed = await client.create(order(service));
    if (!placed.ok) throw new Error(placed.fault.message);
    const { id, handle } = placed.value;
    const call = await ended(client, id, agentId, handle);
    expect(call).toMatchObject({ id, stage: { kind: 'ended', outcome: 'answered' }, stamp });
    expect(call.phone === null || call.phone.endsWith('4155550123')).toBe(true);
    expect(call.startedAt).not.toBeNull();
    // Some tell how long it took, and what it cost, later than that it ended.
    const { cost } = describeService(service).get.fields;
    await expect
      .poll(async () => {
        const again = await client.get({ id, agentId, handle });
        if (!again.ok) throw new Error(again.fault.message);
        const { endedAt, kept } = again.value;
        return [
          endedAt !== null,
          (kept.duration ?? 0) > 0,
          cost ? kept.cost !== null && kept.currency : 'USD',
        ];
      })
      .toEqual([true, true, 'USD']);
    expect([...sim.calls()]).toMatchObject([{ id, phone: '+14155550123', stamp, rang: true }]);
  });

  test('the conversation of an answered call is on its record, or behind a request of its own', async () => {
    const { client } = await open(service, { phones: { '+14155550123': 'answered' } });
    const placed = await client.create(order(service));
    if (!placed.ok) throw new Error(placed.fault.message);
    const call = { id: placed.value.id, agentId };
    await expect
      .poll(async () => {
        if (client.can.transcript) {
          const said = await client.transcript(call);
          if (!said.ok) throw new Error(said.fault.message);
          return said.value.items.length > 1;
        }
        const answer = await client.get(call);
        // One of them keeps it in a file that is not asked for.
        return answer.ok && (service === 'dograh' || Boolean(answer.value.kept.transcript));
      })
      .toBe(true);
  });

  test.each(['no-answer', 'busy', 'voicemail'] as const)('tells %s from a conversation', async (fate) => {
    const { client } = await open(service, { phones: { '+14155550123': fate } });
    const placed = await client.create(order(service));
    if (!placed.ok) throw new Error(placed.fault.message);
    const call = await ended(client, placed.value.id, agentId, placed.value.handle);
    const told = fate === 'busy' && withoutBusy.includes(service) ? 'no-answer' : fate;
    const isBlind = fate === 'voicemail' && service === 'ultravox';
    expect(call.stage).toEqual({ kind: 'ended', outcome: isBlind ? 'answered' : told });
  });

  test('a call that was reached and then broken off by the service is dropped, or not reached', async () => {
    const { client } = await open(service, { phones: { '+14155550123': 'dropped' } });
    const placed = await client.create(order(service));
    if (!placed.ok) throw new Error(placed.fault.message);
    const call = await ended(client, placed.value.id, agentId, placed.value.handle);
    expect(call.stage).toEqual({ kind: 'ended', outcome: 'dropped' });
  });

  test.each(['answered', 'voicemail', 'no-answer', 'busy', 'dropped'] as const)(
    'never takes back how a call ended: %s',
    async (fate) => {
      let passed = 0;
      const clock = { ...systemClock, now: () => 1_700_000_000_000 + passed, monotonic: () => passed };
      // An even last digit: one of them learns of the machine that took the others only afterwards.
      const phone = '+14155550124';
      const options = { service, rate: null, keys: ['secret'], phones: { [phone]: fate } };
      const sim = await startSimulator(options, { clock });
      opened.push(sim);
      const client = await connect(sim, service, 'secret', { clock });
      const placed = await client.create(order(service, { phone }));
      if (!placed.ok) throw new Error(placed.fault.message);
      const { id, handle } = placed.value;
      const seen: string[] = [];
      // Each second until half a minute after its end, and then less often.
      for (let endedAt = 400_000; passed < 400_000; passed += passed < endedAt + 30_000 ? 1_000 : 10_000) {
        const answer = await client.get({ id, agentId, handle });
        if (!answer.ok) throw new Error(answer.fault.message);
        const { stage } = answer.value;
        const word = stage.kind === 'ended' ? stage.outcome : stage.kind;
        if (stage.kind === 'ended') endedAt = Math.min(endedAt, passed);
        if (word !== seen.at(-1)) seen.push(word);
      }
      expect(seen).toEqual(['live', expect.any(String)]);
    },
  );

  test('without room nobody is dialled, and it says so, by its answer or on the record', async () => {
    const { sim, client } = await open(service, { concurrency: 1, speed: 1 });
    const first = await client.create(order(service));
    expect(first.ok).toBe(true);
    const second = await client.create(order(service, { phone: '+14155550124' }));
    // One of them keeps the call until there is room.
    if (service === 'bolna') {
      expect(second.ok && (await client.get({ id: second.value.id }))).toMatchObject({
        value: { stage: { kind: 'live' } },
      });
      return;
    }
    if (!second.ok) expect(second.fault.kind).toBe('full');
    else {
      const call = await ended(client, second.value.id, agentId, second.value.handle);
      expect(call.stage).toEqual({ kind: 'undialled', why: 'no-room' });
    }
    expect([...sim.calls()].filter(({ phone, rang }) => rang && phone === '+14155550124')).toEqual([]);
  });

  test('without credit nobody is dialled, and it says so, by its answer or on the record', async () => {
    const { sim, client } = await open(service, { credits: 0 });
    const placed = await client.create(order(service));
    // One of them has no sign for it.
    if (service === 'ultravox') return;
    if (!placed.ok) expect(placed.fault.kind).toBe('no-credit');
    else {
      const call = await ended(client, placed.value.id, agentId, placed.value.handle);
      expect(call.stage).toEqual({ kind: 'undialled', why: 'no-credit' });
    }
    expect([...sim.calls()].filter(({ rang }) => rang)).toEqual([]);
  });

  test('a wrong key is denied, and a call that does not exist is missing', async () => {
    const { client } = await open(service, {}, 'wrong');
    expect(await client.check()).toMatchObject({ ok: false, fault: { kind: 'denied' } });
    const { client: good, sim } = await open(service);
    const missing = service === 'dograh' ? '999999' : '00000000-0000-4000-8000-000000000000';
    expect(sim.state().requests).toBeDefined();
    expect(await good.get({ id: missing, agentId })).toMatchObject({
      fault: { kind: 'refused', missing: true },
    });
  });

  test('too many requests are busy', async () => {
    const { client, sim } = await open(service);
    sim.control({ rate: 0.001, burst: 1 });
    await client.check();
    expect(await client.check()).toMatchObject({ fault: { kind: 'busy' } });
  });

  test('a call whose answer was lost is found in the list, by its mark and its phone', async () => {
    const { client } = await open(service, {
      phones: { '+14155550123': 'answered' },
      faults: [{ kind: 'reset', on: 'create', when: 'after', next: 1 }],
    });
    const since = Date.now();
    expect(await client.create(order(service))).toMatchObject({ fault: { kind: 'lost' } });
    const other = '7f1d2c3b-0a4e-4d7f-9b1a-2c3d4e5f6a7c';
    await client.create(order(service, { phone: '+14155550199', stamp: other }));
    const sought = { stamp, phone: '+14155550123', agentId, since: since - 60_000, until: since + 60_000 };
    await expect
      .poll(async () => {
        const page = await client.find(sought);
        if (!page.ok) throw new Error(page.fault.message);
        const mine: string[] = [];
        for (const { id } of page.value.items) {
          const call = await client.get({ id, agentId });
          if (call.ok && call.value.stamp === stamp) mine.push(call.value.phone ?? 'without a phone');
        }
        return mine.map((phone) => phone.slice(-7));
      })
      .toHaveLength(1);
  });

  test('its numbers and agents are listed, without a credential', async () => {
    const { client } = await open(service);
    const listed = await client.agents();
    expect(listed.ok && listed.value.items.length).toBeGreaterThan(0);
    if (!client.can.numbers) return;
    const numbers = await client.numbers();
    if (!numbers.ok) throw new Error(numbers.fault.message);
    expect(numbers.value.items.map(({ phone }) => phone)).toContain('+14155550100');
    for (const { record } of numbers.value.items)
      expect(Object.keys(record).filter((name) => /token|secret/i.test(name))).toEqual([]);
  });

  test('a call in progress is hung up where the service can', async () => {
    const { client } = await open(service, { phones: { '+14155550123': 'answered' }, speed: 4 });
    const placed = await client.create(order(service));
    if (!placed.ok) throw new Error(placed.fault.message);
    const { id, handle } = placed.value;
    const answer = await client.hangUp({ id, agentId, handle });
    if (!client.can.hangUp) {
      expect(answer).toMatchObject({ fault: { kind: 'refused', status: 0 } });
      return;
    }
    // One of them can end a call only after it was answered.
    await expect.poll(async () => (await client.hangUp({ id, agentId, handle })).ok || answer.ok).toBe(true);
    const call = await ended(client, id, agentId, handle);
    expect(call.stage.kind).toBe('ended');
  });
});
