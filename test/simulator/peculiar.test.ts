import { expect, test } from 'vitest';
import { agent, type Json, openService, phones, type Service } from './speeches.ts';

/** Reads a call each second until it is so, and returns the words that its record went through. */
async function follow(
  sim: Service,
  id: string,
  said: (record: Json) => string,
  until: string,
): Promise<{ seen: string[]; record: Json }> {
  const seen: string[] = [];
  for (;;) {
    const record = await sim.read(id);
    if (said(record) !== seen.at(-1)) seen.push(said(record));
    if (seen.at(-1) === until) return { seen, record };
    sim.clock.pass(seen.length < 3 ? 200 : 1000);
  }
}

const idOf = async (sim: Service, phone: string, over?: Json) =>
  sim.speech.id((await sim.dial(phone, 'att_1', over)).json);

test.each([
  ['retell', 'agent_hangup', ({ disconnection_reason }: Json) => disconnection_reason],
  ['synthflow', 'completed voicemail', null],
  ['dograh', 'user_idle_max_duration_exceeded', null],
] as const)('%s does not say at once of some machines what they are: %s', async (name, word, said) => {
  const sim = await openService(name);
  const id = await idOf(sim, phones.machine);
  sim.clock.pass(100_000);
  expect((said ?? sim.speech.said)(await sim.read(id))).toBe(word);
});

test.each([
  ['elevenlabs', ({ transcript }: Json) => transcript.at(-1).tool_calls[0].tool_name, 'voicemail_detection'],
  ['ultravox', ({ results }: Json) => results.at(-1).toolName, 'leaveVoicemail'],
] as const)('%s tells of a voicemail only by the tool that the agent used', async (name, told, tool) => {
  const sim = await openService(name);
  const id = await idOf(sim, phones.voicemail);
  sim.clock.pass(2_000_000);
  const path = `${sim.speech.get(id)}${name === 'ultravox' ? '/messages' : ''}`;
  expect(told((await sim.send({ method: 'GET', path })).json)).toBe(tool);
});

test('vapi: may let a blocked call ring when another has ended', async () => {
  const sim = await openService('vapi', { concurrency: 1, blocked: 'rings' });
  const first = await sim.dial(phones.busy);
  expect(first.json.subscriptionLimits).toEqual({
    concurrencyBlocked: false,
    concurrencyLimit: 1,
    remainingConcurrentCalls: 0,
  });
  const { json } = await sim.dial(phones['no-answer']);
  expect(json.subscriptionLimits.concurrencyBlocked).toBe(true);
  expect((await sim.read(json.id)).status).toBe('queued');
  sim.clock.pass(10_000);
  expect((await sim.read(json.id)).status).toBe('ringing');
});

test('vapi: names each unknown field, hangs up without a key, and completes a record later', async () => {
  const sim = await openService('vapi');
  const extra = await sim.dial(phones.answered, 'att_1', { metadata: {} });
  expect(extra.json).toEqual({
    message: ['property metadata should not exist'],
    error: 'Bad Request',
    statusCode: 400,
  });
  const { json } = await sim.dial(phones.answered);
  const end = (body: unknown) =>
    fetch(json.monitor.controlUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  expect((await end({ type: 'end' })).status).toBe(400);
  const { record } = await follow(sim, json.id, ({ status }) => status, 'ended');
  expect(record).toMatchObject({ cost: 0, startedAt: expect.any(String) });
  expect(record.artifact).toBeUndefined();
  expect((await end({ type: 'end-call' })).status).toBe(404);
  sim.clock.pass(10_000);
  expect((await sim.read(json.id)).artifact.transcript).toMatch(/^AI: /);
});

test('retell: takes the agent of the number if none is named, and knows a machine from its analysis', async () => {
  const sim = await openService('retell');
  const { json } = await sim.dial(phones.machine, 'att_1', { override_agent_id: undefined });
  const agents = await sim.send({ method: 'POST', path: '/v2/list-agents?limit=50', body: {} });
  expect(json.agent_id).toBe(agents.json.items[0].agent_id);
  sim.clock.pass(100_000);
  const { start_timestamp, end_timestamp, duration_ms, call_analysis } = await sim.read(json.call_id);
  expect(call_analysis.in_voicemail).toBe(true);
  expect(Math.abs(end_timestamp - start_timestamp - duration_ms)).toBeLessThanOrEqual(1);
});

test('retell: says on the record that credit has run out, if it is set to', async () => {
  const sim = await openService('retell', { credits: 0 });
  expect((await sim.dial(phones.answered)).status).toBe(402);
  sim.control({ refuseBy: 'record' });
  const id = await idOf(sim, phones.answered);
  sim.clock.pass(5000);
  expect(sim.speech.said(await sim.read(id))).toBe('error no_valid_payment');
});

test('retell: lists page by page', async () => {
  const sim = await openService('retell');
  const ids: string[] = [];
  for (const phone of [phones.busy, phones.answered, phones['no-answer']]) ids.push(await idOf(sim, phone));
  const list = async (body: unknown) =>
    (await sim.send({ method: 'POST', path: '/v3/list-calls', body })).json;
  const { pagination_key, has_more } = await list({ limit: 2 });
  expect([pagination_key, has_more]).toEqual([ids[1], true]);
  const last = await list({ limit: 2, pagination_key });
  expect([sim.speech.ids(last), last.has_more]).toEqual([[ids[0]], false]);
});

test('elevenlabs: has a path for each provider of numbers, and the other path is refused', async () => {
  const sim = await openService('elevenlabs');
  const post = (path: string, line: string) => {
    const { body } = sim.speech.create(phones.answered, 'att_1');
    return sim.send({ method: 'POST', path, body: { ...body, agent_phone_number_id: line } });
  };
  const [twilio, sip] = ['twilio', 'sip-trunk'].map((way) => `/v1/convai/${way}/outbound-call`);
  const dialled = await post(sip!, 'line-2');
  const record = await sim.read(dialled.json.conversation_id);
  expect(record.metadata.phone_call).toMatchObject({ type: 'sip_trunking', agent_number: '+14155550101' });
  expect([(await post(sip!, 'line-1')).status, (await post(twilio!, 'line-2')).status]).toEqual([400, 400]);
  expect((await post(twilio!, 'phnum_none')).status).toBe(404);
});

test('elevenlabs: is processing before it is done, and has audio of a talk only', async () => {
  const sim = await openService('elevenlabs');
  const id = await idOf(sim, phones.answered);
  const { seen, record } = await follow(sim, id, ({ status }) => status, 'done');
  expect(seen).toEqual(['initiated', 'in-progress', 'processing', 'done']);
  expect(record).toMatchObject({ user_id: 'att_1', has_audio: true });
  const audio = (of: string) => sim.send({ method: 'GET', path: `${sim.speech.get(of)}/audio` });
  expect((await audio(id)).headers.get('content-type')).toBe('audio/mpeg');
  const silent = await idOf(sim, phones['no-answer']);
  sim.clock.pass(2_000_000);
  expect((await audio(silent)).status).toBe(404);
});

test('elevenlabs: rings no longer than it is told to', async () => {
  const sim = await openService('elevenlabs');
  await sim.dial(phones.answered, 'att_1', { telephony_call_config: { ringing_timeout_secs: 2 } });
  sim.clock.pass(100_000);
  expect(sim.state().ended).toEqual({ 'no-answer': 1 });
});

test.each([
  ['elevenlabs', { success: false, conversation_id: null }],
  ['bland', { status: 'error', message: 'Unable to queue call.' }],
] as const)('%s may answer 200 and dial nobody, as a fault', async (name, answer) => {
  const sim = await openService(name, { faults: [{ kind: 'undialled', next: 1 }] });
  const { status, json } = await sim.dial(phones.answered);
  expect([status, json]).toMatchObject([200, answer]);
  if (name === 'elevenlabs') expect((await sim.dial(phones.invalid)).json).toMatchObject(answer);
  expect(sim.state().created).toBe(0);
});

test('bolna: is disconnected before it is completed, and final only then', async () => {
  const sim = await openService('bolna');
  const id = await idOf(sim, phones.answered);
  const { seen, record } = await follow(sim, id, ({ status }) => status, 'completed');
  const live = ['queued', 'initiated', 'ringing', 'in-progress'];
  expect(seen).toEqual(live.concat('call-disconnected', 'completed'));
  expect(record.total_cost).toBeCloseTo(Math.ceil(record.conversation_duration / 60) * 8);
  expect(record.context_details.recipient_data).toMatchObject({ attempt_id: 'att_1', visits: 3 });
});

test('bolna: stays queued until there is room, and can be stopped only while it is', async () => {
  const sim = await openService('bolna', { concurrency: 1 });
  const first = await idOf(sim, phones.busy);
  const second = await idOf(sim, phones['no-answer']);
  const third = await idOf(sim, phones.answered);
  const status = async (id: string) => (await sim.read(id)).status;
  const stop = (id: string) => sim.send({ method: 'POST', path: `/call/${id}/stop` });
  sim.clock.pass(1300);
  expect([await status(first), await status(second)]).toEqual(['ringing', 'queued']);
  expect((await stop(first)).status).toBe(400);
  expect((await stop(third)).json).toEqual({ message: 'done', status: 'stopped', execution_id: third });
  sim.clock.pass(10_000);
  expect([await status(first), await status(second)]).toEqual(['busy', 'ringing']);
  sim.clock.pass(100_000);
  expect([await status(second), await status(third)]).toEqual(['no-answer', 'stopped']);
  expect([...sim.calls()].map(({ rang }) => rang)).toEqual([false, true, true]);
});

test('bolna: lists seven days of an agent at most, without what the creates sent', async () => {
  const sim = await openService('bolna');
  await sim.dial(phones.answered);
  const list = (query: string) =>
    sim.send({ method: 'GET', path: `/v2/agent/${agent}/executions?to=2025-06-16T00:00:00Z&${query}` });
  const { json } = await list('from=2025-06-10T00:00:00Z');
  expect(json).toMatchObject({ total: 1, has_more: false });
  expect(JSON.stringify(json)).not.toContain('att_1');
  expect((await list('from=2025-06-08T00:00:00Z')).status).toBe(422);
});

test('synthflow: says by 429 that too many talk, or on the record if it is set to', async () => {
  const sim = await openService('synthflow', { concurrency: 1 });
  await sim.dial(phones.answered);
  expect((await sim.dial(phones.busy)).status).toBe(429);
  sim.control({ refuseBy: 'record' });
  const id = await idOf(sim, phones.busy);
  sim.clock.pass(5000);
  expect(sim.speech.said(await sim.read(id))).toBe('failed error 429');
});

test('synthflow: repeats the variables as a map, and completes a record after its end', async () => {
  const sim = await openService('synthflow');
  const id = await idOf(sim, phones.answered);
  const said = ({ response }: Json) => response.calls[0].status;
  const { record } = await follow(sim, id, said, 'completed');
  expect(record.response.calls[0]).toMatchObject({
    transcript: '',
    prompt_variables: { attempt_id: 'att_1' },
  });
  sim.clock.pass(30_000);
  expect((await sim.read(id)).response.calls[0].transcript).toMatch(/^bot: /);
});

test('synthflow: needs the agent for a list and the workspace for numbers, and pages by offset', async () => {
  const sim = await openService('synthflow');
  const ask = (path: string) => sim.send({ method: 'GET', path });
  expect((await ask('/calls?limit=20')).status).toBe(400);
  expect((await ask('/numbers?limit=20')).status).toBe(400);
  const { response } = (await ask('/numbers?workspace=ws_1&limit=2&offset=2')).json;
  expect(response.pagination).toEqual({ total_records: 3, limit: 2, offset: 2 });
  expect(response.phone_numbers).toHaveLength(1);
});

test('bland: is over only when it is completed, whatever its status says', async () => {
  const sim = await openService('bland');
  const id = await idOf(sim, phones.answered);
  const said = ({ completed, status }: Json) => (completed ? 'over' : status);
  const { seen } = await follow(sim, id, said, 'over');
  expect(seen).toEqual(['unknown', 'completed', 'over']);
  sim.clock.pass(60_000);
  const { concatenated_transcript, corrected_duration, call_length, recording_url } = await sim.read(id);
  expect(concatenated_transcript).toMatch(/^assistant: /);
  expect(Number(corrected_duration)).toBe(Math.ceil(call_length * 60 - 0.05));
  expect(recording_url).toContain(id);
});

test('bland: charges a little for an attempt that nobody answered, and takes its key with Bearer too', async () => {
  const sim = await openService('bland', { keys: ['secret'] });
  const id = await idOf(sim, phones['no-answer']);
  sim.clock.pass(100_000);
  expect((await sim.read(id)).price).toBe(0.015);
  expect((await sim.ask('GET', '/outbound', undefined, { authorization: 'Bearer secret' })).status).toBe(200);
});

test('bland: refuses a second call to a number within ten seconds, and one that must not be called', async () => {
  const sim = await openService('bland', { refused: [phones.answered] });
  await sim.dial(phones.busy);
  expect((await sim.dial(phones.busy)).status).toBe(429);
  sim.clock.pass(10_000);
  expect((await sim.dial(phones.busy)).status).toBe(200);
  const { status, json } = await sim.dial(phones.answered);
  expect([status, json.status]).toEqual([400, 'DNC Error']);
});

test('ultravox: is billed some time after its end, in steps of six seconds, and has its messages at once', async () => {
  const sim = await openService('ultravox');
  const id = await idOf(sim, phones.answered);
  const { record } = await follow(sim, id, ({ ended }) => String(ended !== null), 'true');
  expect(record).toMatchObject({ billedDuration: null, billingStatus: 'BILLING_STATUS_PENDING' });
  const get = async (path: string) => (await sim.send({ method: 'GET', path })).json;
  const messages = await get(`/calls/${id}/messages?pageSize=2`);
  expect(messages.results).toHaveLength(2);
  expect((await get(messages.next.slice(sim.url.length))).results[0]).not.toEqual(messages.results[0]);
  sim.clock.pass(20_000);
  const { joined, ended, billedDuration } = await sim.read(id);
  const talked = (Date.parse(ended) - Date.parse(joined)) / 1000;
  expect(Number.parseInt(billedDuration, 10)).toBe(Math.ceil(talked / 6) * 6);
  const recording = await sim.send({ method: 'GET', path: `/calls/${id}/recording` });
  expect([recording.status, recording.headers.get('location')]).toEqual([302, expect.stringContaining(id)]);
});

test('ultravox: ends unjoined if nobody answers in time, and a provider does not tell why', async () => {
  const sim = await openService('ultravox');
  const hasty = await idOf(sim, phones.answered, { joinTimeout: '2s' });
  const medium = { twilio: { outgoing: { to: phones.busy, from: '+14155550100' } } };
  const busy = await idOf(sim, phones.busy, { medium });
  sim.clock.pass(60_000);
  expect(sim.speech.said(await sim.read(hasty))).toBe('unjoined TIMEOUT');
  expect(await sim.read(busy)).toMatchObject({ endReason: 'unjoined', sipDetails: null });
  const foreign = { twilio: { outgoing: { to: phones.busy, from: '+14155559999' } } };
  expect((await sim.dial(phones.busy, 'att_1', { medium: foreign })).status).toBe(400);
});

test('ultravox: says by 429 with Retry-After that too many talk, and knows no credit', async () => {
  const sim = await openService('ultravox', { concurrency: 1, credits: 0 });
  expect((await sim.dial(phones.answered)).status).toBe(201);
  const full = await sim.dial(phones.busy);
  expect([full.status, full.headers.get('retry-after')]).toEqual([429, '12']);
});

test('ultravox: hangs up once the call is joined, and keeps the password of a trunk to itself', async () => {
  const sim = await openService('ultravox');
  const { json, text } = await sim.dial(phones.answered);
  const path = `/calls/${json.callId}/send_data_message`;
  const hangUp = (type = 'hang_up') => sim.send({ method: 'POST', path, body: { type, message: '' } });
  expect((await hangUp()).status).toBe(422);
  await follow(sim, json.callId, ({ joined }) => String(joined !== null), 'true');
  sim.clock.pass(100);
  expect((await hangUp('end')).status).toBe(400);
  expect((await hangUp()).status).toBe(204);
  expect((await sim.read(json.callId)).endReason).toBe('agent_hangup');
  expect((await hangUp()).status).toBe(422);
  await sim.dial(phones.answered, 'att_1', { odd: 1 });
  expect(text + JSON.stringify([...sim.journal()])).not.toContain('hidden');
});

test('dograh: has its file and its usage some time after it is completed', async () => {
  const sim = await openService('dograh');
  const id = await idOf(sim, phones.answered);
  const { record } = await follow(sim, id, ({ is_completed }) => String(is_completed), 'true');
  expect(record).toMatchObject({ recording_public_url: null, usage_info: null });
  sim.clock.pass(30_000);
  const { usage_info, recording_public_url } = await sim.read(id);
  expect(usage_info.call_duration_seconds).toBeGreaterThan(0);
  const file = await fetch(recording_public_url, { redirect: 'manual' });
  expect([file.status, file.headers.get('location')]).toEqual([302, expect.stringContaining(id)]);
});

test('dograh: rewrites the number in the context, and drops what it keeps for itself', async () => {
  const sim = await openService('dograh');
  const initial_context = { attempt_id: 'att_1', called_number: '+1', provider: 'x', a: [1] };
  const id = await idOf(sim, phones.answered, { initial_context });
  expect((await sim.read(id)).initial_context).toEqual({
    attempt_id: 'att_1',
    a: [1],
    called_number: phones.answered,
  });
});

test('dograh: refuses what the carrier refuses, and keeps a failed run of it', async () => {
  const sim = await openService('dograh');
  const refused = await sim.dial(phones.invalid);
  expect(refused.status).toBe(400);
  expect(refused.json.detail).toMatch(/^Failed to initiate call: 400: \{"code":21211/);
  sim.clock.pass(5000);
  expect(await sim.find('att_1', phones.invalid)).toHaveLength(1);
  expect([...sim.calls()]).toMatchObject([{ rang: false }]);
  expect((await sim.dial('4155550101')).status).toBe(400);
});

test('dograh: answers in its own words for what does not exist', async () => {
  const sim = await openService('dograh');
  const gone = [
    await sim.dial(phones.answered, 'att_1', { telephony_configuration_id: 9 }),
    await sim.dial(phones.answered, 'att_1', { from_phone_number_id: 99 }),
    await sim.send({ method: 'GET', path: `/workflow/${agent}/runs/7001` }),
  ];
  expect(gone.map(({ status, json }) => [status, json.detail])).toMatchObject([
    [404, 'Telephony configuration not found'],
    [400, 'from_phone_number_not_found'],
    [422, [{ loc: ['path', 'workflow'], type: 'int_type' }]],
  ]);
});
