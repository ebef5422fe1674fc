import { afterEach, expect, test } from 'vitest';
import { type Simulator, startSimulator } from '../../simulator/server.ts';
import { createVoiceClient } from '../../src/voice/client.ts';
import { describeService } from '../../src/voice/load-service.ts';
import { until } from '../support/until.ts';

/** Some services take calls through a SIP trunk in another form than calls through a provider. */
const opened: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.close();
});

async function dial(
  service: 'elevenlabs' | 'ultravox',
  from: string,
  settings: Record<string, string> = {},
): Promise<{ sim: Simulator; outcome: string; path: string; body: unknown }> {
  const phones = { '+14155550123': 'answered' } as const;
  const sim = await startSimulator({
    service,
    rate: null,
    speed: 2_000,
    keys: ['secret'],
    phones,
    strict: true,
  });
  opened.push(sim);
  const shipped = describeService(service);
  const described = { ...shipped, settings: { ...shipped.settings, ...settings } };
  const client = createVoiceClient({ baseUrl: sim.url, key: 'secret', service: described });
  opened.push(client);
  if (client.can.numbers) await client.numbers();
  const [agent] = await client.agents().then((answer) => (answer.ok ? answer.value.items : []));
  const order = {
    agentId: agent!.id,
    phone: '+14155550123',
    name: 'Ada Park',
    variables: { plan: 'gold' },
    from: { number: from },
    stamp: '6f1d2c3b-0a4e-4d7f-9b1a-2c3d4e5f6a7b',
  };
  const { url, body } = client.describe(order);
  const placed = await client.create(order);
  if (!placed.ok) throw new Error(placed.fault.message);
  const { id, handle } = placed.value;
  const ended = await until(
    () => client.get({ id, handle, agentId: agent!.id }),
    (answer) => answer.ok && answer.value.stage.kind === 'ended',
  );
  if (!ended.ok || ended.value.stage.kind !== 'ended') throw new Error('the call did not end');
  return { sim, outcome: ended.value.stage.outcome, path: new URL(url).pathname, body };
}

test('ElevenLabs is asked at the address of trunks for a number behind one, and at its provider’s for the others', async () => {
  const trunk = await dial('elevenlabs', '+14155550101');
  expect(trunk).toMatchObject({ path: '/v1/convai/sip-trunk/outbound-call', outcome: 'answered' });
  expect([...trunk.sim.calls()]).toMatchObject([{ phone: '+14155550123', rang: true }]);
  const other = await dial('elevenlabs', '+14155550100');
  expect(other).toMatchObject({ path: '/v1/convai/twilio/outbound-call', outcome: 'answered' });
});

test('Ultravox dials through a provider, or through a trunk of yours', async () => {
  const provider = await dial('ultravox', '+14155550100', { provider: 'twilio' });
  expect(provider).toMatchObject({
    body: { medium: { twilio: { outgoing: { to: '+14155550123', from: '+14155550100' } } } },
    outcome: 'answered',
  });
  const trunk = await dial('ultravox', '+14155550100', { provider: 'sip', sip_domain: 'trunk.example' });
  expect(trunk).toMatchObject({
    body: { medium: { sip: { outgoing: { to: 'sip:+14155550123@trunk.example', from: '+14155550100' } } } },
    outcome: 'answered',
  });
  expect([...trunk.sim.calls()]).toMatchObject([{ phone: '+14155550123', rang: true }]);
});
