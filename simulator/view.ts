/** A call at this moment, as every service would see it: dialects only choose the words. */
import { type Call, endOf, hasEnded, startOf, talkedSeconds, type Undialled } from './calls.ts';
import { costOf } from './credits.ts';
import type { Fate } from './fates.ts';
import { createStream } from './random.ts';
import type { Json } from './shape.ts';
import { converse, leaveMessage } from './transcripts.ts';
import type { World } from './world.ts';

type Phase = 'queued' | 'ringing' | 'talking' | 'ended';

export type View = {
  call: Call;
  phase: Phase;
  /** How it ended; null while it is in progress. */
  outcome: Fate | Undialled | 'canceled' | null;
  /** Wall-clock times (ms); null for what has not happened. */
  createdAt: number;
  ringsAt: number | null;
  joinedAt: number | null;
  endedAt: number | null;
  updatedAt: number;
  seconds: number;
  talkedMs: number;
  /** What was said, once the record has it. */
  told: Told | undefined;
  /** US dollars, once the record has them. */
  cost: number | undefined;
  /** Whether this much simulated time has passed since the end, and since what a fault holds back. */
  past(ms: number): boolean;
};

/** `laterMs` is how long after the end, in simulated time, this service completes its record. */
export function viewCall(world: World, call: Call, laterMs: number): View {
  const { timescale, settings } = world;
  const now = timescale.now();
  const ended = hasEnded(call, now);
  const end = call.canceledAt ?? endOf(call);
  const rings = startOf(call) + call.queueMs;
  const joins = rings + call.ringMs;
  const until = ended ? end : now;
  const hasJoined = call.talkMs > 0 && until >= joins && (call.canceledAt === null || end > joins);
  const hasRung = call.undialled === null && call.fate !== 'invalid' && until >= rings;
  const seconds = talkedSeconds(call, now);
  const since = now - end;
  const wall = (at: number) => timescale.wallAt(at);
  const isComplete = ended && since >= call.lateMs + laterMs;
  const isPriced = ended && since >= call.lateCostMs + laterMs;
  const steps = [call.createdAt, ...(hasRung ? [rings] : []), ...(hasJoined ? [joins] : [])];
  if (ended) steps.push(end);
  if (isComplete) steps.push(end + call.lateMs + laterMs);
  return {
    call,
    phase: ended ? 'ended' : hasJoined ? 'talking' : hasRung ? 'ringing' : 'queued',
    outcome: !ended ? null : call.canceledAt !== null ? 'canceled' : (call.undialled ?? call.fate),
    createdAt: wall(call.createdAt),
    ringsAt: hasRung ? wall(rings) : null,
    joinedAt: hasJoined ? wall(joins) : null,
    endedAt: ended ? wall(end) : null,
    updatedAt: wall(Math.max(...steps)),
    seconds,
    talkedMs: hasJoined ? until - joins : 0,
    told: isComplete ? tell(world, call, seconds) : undefined,
    cost: isPriced ? costOf(seconds, settings) : undefined,
    past: (ms) => ended && since >= call.lateMs + ms,
  };
}

type Told = { transcript: string | null; data: Record<string, unknown> | null };

/** What was said in a call that has ended. */
function tell(world: World, call: Call, seconds: number): Told {
  const { seed } = world.settings;
  if (call.fate === 'invalid') return { transcript: null, data: { error: 'number_does_not_exist' } };
  if (call.fate === 'failed') return { transcript: null, data: { error: 'carrier_error' } };
  if (seconds === 0) return { transcript: null, data: null };
  if (call.fate === 'voicemail') return leaveMessage(seed, call.phone, call.nth, call.name);
  const talk = converse(seed, call.phone, call.nth, call.name, seconds);
  const wish = wishOf(world, call);
  return wish === null ? talk : { ...talk, data: { ...talk.data, callback_at: wish } };
}

/** When the person wants to be called back; null for most. */
function wishOf({ settings, timescale }: World, call: Call): string | null {
  const { callbacks, seed } = settings;
  if (!callbacks || createStream(seed, call.phone, call.nth, 'callback')() >= callbacks.share) return null;
  return iso(timescale.wallAt(call.canceledAt ?? endOf(call)) + callbacks.afterMs);
}

type Turn = { role: 'agent' | 'user'; text: string };

export function turnsOf(told: Told | undefined): Turn[] {
  return (told?.transcript ?? '').split('\n').flatMap((line): Turn[] => {
    const [, speaker, text] = /^(Agent|Customer): (.*)$/.exec(line) ?? [];
    if (speaker === undefined) return [];
    return [{ role: speaker === 'Agent' ? 'agent' : 'user', text: text as string }];
  });
}

/** Whether a service learns only afterwards that a machine took this call: true for phones with an odd last digit. */
export function isHeardLate({ phone }: Call): boolean {
  return Number(phone.at(-1)) % 2 === 1;
}

type Span = { from?: number | undefined; to?: number | undefined };

/** The calls of the account that the list already has, within these wall-clock times, the latest first. */
export function listCalls(
  world: World,
  { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY }: Span,
  keep: (call: Call) => boolean,
): Call[] {
  const listed = Math.min(to, world.clock.now() - world.settings.listLagMs);
  const found: Call[] = [];
  for (const call of world.calls.latest()) {
    const at = world.timescale.wallAt(call.createdAt);
    if (at < from) break;
    if (at <= listed && keep(call)) found.push(call);
  }
  return found;
}

/** The items after the one whose id the cursor is, and the cursor of the next page; null on the last. */
export function pageAfter(
  all: readonly Json[],
  id: string,
  cursor: string | undefined,
  limit: number,
): { items: Json[]; next: string | null } {
  const from = all.findIndex((item) => item[id] === cursor) + 1;
  const items = all.slice(from, from + limit);
  return { items, next: from + limit < all.length ? (items.at(-1)?.[id] as string) : null };
}

export function iso(wall: number): string {
  return new Date(wall).toISOString();
}
