/** How a create becomes a call, and how a call is canceled: the same for every service. */
import type { z } from 'zod';
import { type Call, hasEnded, talkedSeconds, type Undialled } from './calls.ts';
import { costOf } from './credits.ts';
import { answering, type Prepared, type Request } from './dialect.ts';
import { decideScript, type Script } from './fates.ts';
import { createStream } from './random.ts';
import type { Reply } from './reply.ts';
import { type Flaw, holdBody, type Json, readObject, textAt } from './shape.ts';
import type { World } from './world.ts';

/** The fate of a create without room or credit: an answer, a record of no call, or a call that waits. */
export type Lack = Reply | 'record' | 'waits' | 'ignored';

/** A call to make. */
export type Order = {
  id: string;
  name: string | null | undefined;
  agentId: string;
  from: string | null | undefined;
  stamp?: string | undefined;
  /** Replaces the body in the call's record. */
  sent?: Json;
  noRoom: Lack;
  noCredit: Lack;
  /** The answer to a number that does not exist, for services that know before they ring: an answer or a record. */
  invalid?: Reply | 'record';
  /** How long it rings at most, in simulated time. */
  ringMs?: number;
  answer(call: Call): Reply;
};

type Wanted = {
  form: z.ZodType;
  phoneAt: readonly string[] | ((body: Json) => string | undefined);
  invalid(flaws: readonly Flaw[]): Reply;
  /** The part of the body that journal and record get: all of it, unless it has secrets or says nothing. */
  kept?(body: Json): Json | null;
  /** What a body of the right form orders, or why it is refused all the same. */
  order(body: Json, phone: string): Order | Reply;
};

/** Prepares a create: its body is checked, then what it orders is placed. */
export function placeCall(world: World, request: Request, wanted: Wanted): Prepared {
  const { form, phoneAt, invalid, kept = (body) => body, order } = wanted;
  const read = readObject(request.contentType, request.body);
  if ('flaws' in read) return { refused: invalid(read.flaws) };
  const body = read.value;
  const phone = typeof phoneAt === 'function' ? phoneAt(body) : textAt(body, ...phoneAt);
  // The journal names the phone of a refused request too, if it can be read.
  const known = { body: kept(body), ...(phone !== undefined && { phone }) };
  const flaws = holdBody(form, body, world.settings.strict);
  if (flaws.length > 0 || phone === undefined) return { refused: invalid(flaws), ...known };
  const ordered = order(body, phone);
  return 'status' in ordered
    ? { refused: ordered, ...known }
    : place(world, request.key, phone, known.body, ordered);
}

/** Looks for credit and room, then makes the call, or a record without one. */
function place(world: World, key: number, phone: string, body: Json | null, order: Order): Prepared {
  const { noRoom, noCredit, invalid } = order;
  const noted = { phone, body: order.sent ?? body, stamp: order.stamp ?? null };
  let lack: { why: Undialled; leads: Lack } | undefined;
  if (noCredit !== 'ignored' && !world.credits.suffices()) lack = { why: 'no-credit', leads: noCredit };
  else if (noRoom !== 'ignored' && isFull(world, key)) lack = { why: 'no-room', leads: noRoom };
  if (!lack && invalid && scriptOf(world, phone).fate === 'invalid')
    lack = { why: 'invalid', leads: invalid };
  if (lack && typeof lack.leads === 'object') return { ...noted, refused: lack.leads };
  return {
    ...noted,
    call: null,
    serve() {
      const undialled = lack?.leads === 'record' ? lack.why : null;
      const call = makeCall(world, key, phone, noted.body, order, undialled, lack?.leads === 'waits');
      return { reply: order.answer(call), call: call.id };
    },
  };
}

export function isFull(world: World, key: number): boolean {
  const { concurrency } = world.settings;
  return concurrency !== null && liveCount(world, key) >= concurrency;
}

/** Calls in progress, those that came in among them. */
export function liveCount({ calls, timescale, settings }: World, key: number): number {
  return calls.ofKey(timescale.now(), key).inFlight + settings.inbound;
}

function scriptOf(world: World, phone: string, from?: string | null): Script {
  const { seed, shares, phones, endings, trusted } = world.settings;
  const fortune = { seed, shares, forced: { phones, endings } };
  const nth = world.calls.timesCalled(phone);
  const script = decideScript(fortune, phone, nth);
  const share = from ? trusted[from] : undefined;
  if (share === undefined || script.fate !== 'answered') return script;
  const answers = createStream(seed, 'trusted', from!, phone, nth)() < share;
  return answers ? script : { ...script, fate: 'no-answer', talkMs: 0 };
}

function makeCall(
  world: World,
  key: number,
  phone: string,
  sent: Json | null,
  { id, name, agentId, from, stamp, ringMs }: Order,
  undialled: Undialled | null,
  waits: boolean,
): Call {
  const script = ringAtMost(ringMs, scriptOf(world, phone, from));
  const made = {
    id,
    key,
    phone,
    name: name || null,
    agentId,
    from: from ?? null,
    stamp: stamp ?? null,
    ...(sent && { sent }),
    createdAt: world.timescale.now(),
    ...world.faults.traits(phone),
  };
  if (undialled) {
    const never: Script = { fate: 'failed', queueMs: script.queueMs, ringMs: 0, talkMs: 0 };
    return world.calls.add({ ...made, ...never, endless: false, undialled });
  }
  const call = world.calls.add({ ...made, ...script, waits });
  world.credits.charge(costOf(Math.ceil(call.talkMs / 1000), world.settings));
  return call;
}

/** A person who would have answered later is not reached. */
function ringAtMost(ringMs: number | undefined, script: Script): Script {
  if (ringMs === undefined || script.ringMs <= ringMs) return script;
  return { ...script, fate: 'no-answer', ringMs, talkMs: 0 };
}

/** Prepares the end of a call by the client; `over` is the answer for a call that has ended. */
export function hangingUp(world: World, call: Call, over: Reply, reply: Reply): Prepared {
  if (hasEnded(call, world.timescale.now())) return { refused: over, phone: call.phone };
  return answering(call, () => {
    cancel(world, call);
    return reply;
  });
}

export function cancel(world: World, call: Call): void {
  const planned = costOf(Math.ceil(call.talkMs / 1000), world.settings);
  const now = world.timescale.now();
  // It may have ended while the checks ran, and an ended call does not change.
  if (hasEnded(call, now)) return;
  world.calls.cancel(call, now);
  world.credits.refund(planned - costOf(talkedSeconds(call, now), world.settings));
}
