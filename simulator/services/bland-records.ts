/** A call as Bland shows it: only `completed` tells that it is over, and several fields together tell how. */
import type { Call } from '../calls.ts';
import type { Json } from '../shape.ts';
import { iso, turnsOf, type View, viewCall } from '../view.ts';
import type { World } from '../world.ts';

/** Transcript, recording and summary come this much later than the end, in simulated time. */
const laterMs = 30_000;

/** The least that an attempt costs, in US dollars. */
const leastCost = 0.015;

type Ended = { status: string; queue: string; by: string | null; error?: string };
const ends: Record<NonNullable<View['outcome']>, Ended> = {
  answered: { status: 'completed', queue: 'complete', by: 'human' },
  voicemail: { status: 'completed', queue: 'complete', by: 'voicemail' },
  'no-answer': { status: 'no-answer', queue: 'complete', by: 'no-answer' },
  busy: {
    status: 'busy',
    queue: 'call_error',
    by: null,
    error: 'The number you dialed is busy. Please try again later.',
  },
  invalid: {
    status: 'failed',
    queue: 'call_error',
    by: null,
    error: 'The number you dialed was not found.',
  },
  failed: { status: 'failed', queue: 'call_error', by: null, error: 'Call failed.' },
  dropped: { status: 'failed', queue: 'complete_error', by: 'human', error: 'unknown' },
  canceled: { status: 'canceled', queue: 'complete', by: null },
  'no-room': { status: 'failed', queue: 'queue_error', by: null, error: 'unable to start call' },
  'no-credit': { status: 'failed', queue: 'queue_error', by: null, error: 'unable to start call' },
};

/** A live call's status says nothing: it may even read `completed`. */
const live: Record<View['phase'], Ended> = {
  queued: { status: 'unknown', queue: 'queued', by: null },
  ringing: { status: 'unknown', queue: 'allocated', by: null },
  talking: { status: 'completed', queue: 'started', by: null },
  ended: { status: 'unknown', queue: 'complete', by: null },
};

function endOf({ outcome, phase, joinedAt }: View): Ended {
  if (outcome === null) return live[phase];
  if (outcome === 'canceled' && joinedAt !== null) return ends.answered;
  return ends[outcome];
}

export const digits = (number: string) => number.replace(/\D/g, '');

function showShort(view: View): Json {
  const { call, phase } = view;
  const { queue, by, error } = endOf(view);
  const isOver = phase === 'ended';
  return {
    call_id: call.id,
    created_at: iso(view.createdAt),
    call_length: isOver ? Math.round((view.talkedMs / 60_000) * 1000) / 1000 : null,
    completed: isOver,
    queue_status: queue,
    error_message: error ?? null,
    answered_by: by,
    batch_id: null,
  };
}

/** An item of the list: its numbers are bare digits, and it repeats nothing of the create. */
export function showBlandItem(world: World, call: Call): Json {
  const view = viewCall(world, call, laterMs);
  return { ...showShort(view), to: digits(call.phone), from: digits(call.from ?? '') };
}

export function showBlandCall(world: World, call: Call): Json {
  const view = viewCall(world, call, laterMs);
  const { cost } = viewCall(world, call, 0);
  const { told, joinedAt, endedAt, outcome } = view;
  const turns = turnsOf(told).map(({ role, text }, nth) => ({
    id: nth + 1,
    created_at: iso((joinedAt ?? view.createdAt) + nth * 1000),
    text,
    user: role === 'agent' ? 'assistant' : 'user',
  }));
  return {
    ...showShort(view),
    c_id: call.id,
    corrected_duration: endedAt === null ? null : String(view.seconds),
    to: call.phone,
    from: call.from,
    request_data: call.sent.request_data ?? {},
    inbound: false,
    started_at: view.ringsAt === null ? null : iso(view.ringsAt),
    end_at: endedAt === null ? null : iso(endedAt),
    max_duration: call.sent.max_duration ?? 30,
    variables: told?.data ?? {},
    record: call.sent.record ?? false,
    recording_url:
      call.sent.record === true && told?.transcript ? `https://recordings.invalid/${call.id}.mp3` : null,
    metadata: call.sent.metadata ?? {},
    summary: told?.transcript ? `A talk of ${turns.length} turns.` : null,
    price: cost === undefined ? null : Math.max(leastCost, cost),
    local_dialing: false,
    call_ended_by: outcome === 'answered' ? 'USER' : outcome === null ? null : 'ASSISTANT',
    pathway_id: call.sent.pathway_id ?? null,
    analysis: null,
    concatenated_transcript: turns.map(({ user, text }) => `${user}: ${text}`).join(' '),
    transcripts: turns,
    status: endOf(view).status,
    transferred_to: null,
    transferred_at: null,
    warm_transfer_call: null,
    disposition_tag: null,
  };
}
