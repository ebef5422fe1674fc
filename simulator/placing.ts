/** How a create becomes a call, and how a call is canceled: the same for every service. */

import type { z } from 'zod';
import { type Call, hasEnded, talkedSeconds, type Undialled } from './calls.ts';
import type { Prepared, Request } from './dialect.ts';
import { decideScript, type Script } from './fates.ts';
import { createStream } from './random.ts';
import { costOf } from './record.ts';
import type { Reply } from './reply.ts';
import { type Flaw, holdBody, type Json, readObject, textAt } from './shape.ts';
import type { World } from './world.ts';

export type Wish = {
  phone: string;
  name: string | null;
  agentId: string;
  from?: string | null;
  stamp?: string | null;
  sent?: Record<string, unknown>;
};

/** The fate of a create without room or credit: an answer, a record of no call, or a call that waits. */
export type Lack = Reply | 'record' | 'waits' | 'ignored';

export type Order = Wish & {
  id: string;
  key: number;
  noRoom: Lack;
  noCredit: Lack;
  /** The answer to a number that does not exist, for services that know before they ring: an answer or a record. */
  invalid?: Reply | 'record';
  /** How long it rings at most, in simulated time. */
  ringMs?: number;
  answer(call: Call): Reply;
};

/** A create's body, and its phone if it fits the form; `invalid` describes what does not fit. */
export function readWish(
  world: World,
  request: Request,
  { form, phoneAt, invalid, clean = (body) => body }: Wanted,
): { body: Json; phone: string } | { refusal: Prepared } {
  const read = readObject(request.contentType, request.body);
  if ('flaws' in read) return { refusal: { refused: invalid(read.flaws) } };
  const body = read.value;
  const phone = typeof phoneAt === 'function' ? phoneAt(body) : textAt(body, ...phoneAt);
  // The journal names the phone of a refused request too, if it can be read.
  const noted = { body: clean(body) };
  const known = phone === undefined ? noted : { ...noted, phone };
  const flaws = holdBody(form, body, world.settings.strict);
  if (flaws.length > 0 || phone === undefined) return { refusal: { refused: invalid(flaws), ...known } };
  return { body, phone };
}

type Wanted = {
  form: z.ZodType;
  phoneAt: readonly string[] | ((body: Json) => string | undefined);
  invalid(flaws: readonly Flaw[]): Reply;
  /** Removes secrets before the journal gets the body. */
  clean?(body: Json): Json;
};

/** Looks for credit and room, then makes the call, or a record without one. */
export function place(world: World, order: Order): Prepared {
  const { id, key, noRoom, noCredit, invalid, ringMs, answer, ...wish } = order;
  const noted = { phone: wish.phone, body: wish.sent ?? null, stamp: wish.stamp ?? null };
  let lack: { why: Undialled; leads: Lack } | undefined;
  if (noCredit !== 'ignored' && !world.credits.suffices()) lack = { why: 'no-credit', leads: noCredit };
  else if (noRoom !== 'ignored' && isFull(world, key)) lack = { why: 'no-room', leads: noRoom };
  if (!lack && invalid && scriptOf(world, wish.phone).fate === 'invalid')
    lack = { why: 'invalid', leads: invalid };
  if (lack && typeof lack.leads === 'object') return { ...noted, refused: lack.leads };
  return {
    ...noted,
    call: null,
    serve() {
      const undialled = lack?.leads === 'record' ? lack.why : null;
      const call = makeCall(world, id, key, wish, { undialled, waits: lack?.leads === 'waits', ringMs });
      return { reply: answer(call), call: call.id };
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

type Kind = { undialled: Undialled | null; waits: boolean; ringMs: number | undefined };

export function makeCall(world: World, id: string, key: number, wish: Wish, kind?: Kind): Call {
  const script = ringAtMost(kind?.ringMs, scriptOf(world, wish.phone, wish.from));
  const traits = world.faults.traits(wish.phone);
  const createdAt = world.timescale.now();
  const made = { id, key, createdAt, ...wish, ...traits };
  if (kind?.undialled) {
    const never: Script = { fate: 'failed', queueMs: script.queueMs, ringMs: 0, talkMs: 0 };
    return world.calls.add({ ...made, ...never, endless: false, undialled: kind.undialled });
  }
  const call = world.calls.add({ ...made, ...script, waits: kind?.waits ?? false });
  world.credits.charge(costOf(Math.ceil(call.talkMs / 1000), world.settings));
  return call;
}

/** A person who would have answered later is not reached. */
function ringAtMost(ringMs: number | undefined, script: Script): Script {
  if (ringMs === undefined || script.ringMs <= ringMs) return script;
  return { ...script, fate: 'no-answer', ringMs, talkMs: 0 };
}

export function cancel(world: World, call: Call): void {
  const planned = costOf(Math.ceil(call.talkMs / 1000), world.settings);
  const now = world.timescale.now();
  // It may have ended while the checks ran, and an ended call does not change.
  if (hasEnded(call, now)) return;
  world.calls.cancel(call, now);
  world.credits.refund(planned - costOf(talkedSeconds(call, now), world.settings));
}
