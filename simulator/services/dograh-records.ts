/** A run as Dograh shows it: it has no status, and its outcome is what a workflow wrote down. */
import { agentsOf, codeOf, uuidOf } from '../account.ts';
import type { Call } from '../calls.ts';
import type { Settings } from '../settings.ts';
import type { Json } from '../shape.ts';
import { isHeardLate, iso, type View, viewCall } from '../view.ts';
import type { World } from '../world.ts';

/** Files and usage come this much later than `is_completed`, in simulated time. */
const laterMs = 20_000;

export const dograhAgent = (nth: number) => uuidOf('dograh', nth);

/** The number of a workflow, which also has a UUID. */
export function agentNumber(settings: Settings, id: string): number {
  return (
    42 +
    Math.max(
      0,
      agentsOf(settings, dograhAgent).findIndex((agent) => agent.id === id),
    )
  );
}

/** Numbers have integers for ids. */
export function dograhLines({ numbers }: Settings): { id: number; number: string; label: string }[] {
  return numbers.map((one, nth) => {
    const line = typeof one === 'string' ? { id: '', phone_number: one } : one;
    const id = /^\d+$/.test(line.id) ? Number(line.id) : nth + 1;
    const label = ('label' in line && line.label) || `Line ${nth + 1}`;
    return { id, number: line.phone_number, label };
  });
}

/** The run's name, which is neither the id nor unique. */
export function runName(call: Call): string {
  return `WR-API-${codeOf('0123456789', 4, call.id)}`;
}

type Ended = { disposition: string; tags: string[]; callback: string; error?: string };
const away = (disposition: string): Ended => ({
  disposition,
  tags: ['not_connected', `telephony_${disposition}`],
  callback: disposition,
});
const ends: Record<NonNullable<View['outcome']>, Ended> = {
  answered: { disposition: 'user_hangup', tags: ['user_speech'], callback: 'completed' },
  voicemail: { disposition: 'voicemail_detected', tags: [], callback: 'completed' },
  'no-answer': away('no-answer'),
  busy: away('busy'),
  failed: away('failed'),
  canceled: away('canceled'),
  dropped: {
    disposition: 'pipeline_error',
    tags: ['user_speech'],
    callback: 'completed',
    error: 'Pipeline error',
  },
  invalid: { ...away('error'), error: 'Failed to initiate call: 400' },
  'no-room': { ...away('error'), error: 'Concurrent call limit reached' },
  'no-credit': { ...away('error'), error: 'You have exhausted your Dograh credits.' },
};

const live = { queued: 'initiated', ringing: 'ringing', talking: 'in-progress' } as const;

function gather(view: View): Json {
  const { call, outcome } = view;
  const carrier = call.undialled === null ? { call_id: `CA${call.id}`, provider: 'twilio' } : {};
  if (outcome === null) return carrier;
  const { disposition, tags, error } = ends[outcome];
  // The workflow did not notice the machine, so only the carrier's word shows it.
  const isMissed = outcome === 'voicemail' && isHeardLate(call);
  const said = isMissed ? 'user_idle_max_duration_exceeded' : disposition;
  return {
    ...carrier,
    call_disposition: said,
    mapped_call_disposition: said,
    call_tags: tags,
    ...(isMissed && { answered_by: 'machine_start' }),
    ...(error && { error }),
  };
}

function callbacks({ call, phase, outcome, updatedAt, seconds }: View): Json[] {
  if (call.undialled !== null) return [];
  const status = outcome === null ? live[phase as keyof typeof live] : ends[outcome].callback;
  const isDone = status === 'completed';
  return [
    {
      status,
      timestamp: iso(updatedAt),
      call_id: `CA${call.id}`,
      ...(isDone && { duration: String(seconds) }),
    },
  ];
}

export function showRun(world: World, call: Call, origin: string): Json {
  const view = viewCall(world, call, laterMs);
  const { told, cost, seconds } = view;
  const spoken = Boolean(told?.transcript);
  const token = `tok${call.id}`;
  const link = `${origin}/api/v1/public/download/workflow/${token}`;
  return {
    id: Number(call.id),
    workflow_id: agentNumber(world.settings, call.agentId),
    name: runName(call),
    mode: 'twilio',
    created_at: iso(view.createdAt),
    is_completed: view.phase === 'ended',
    transcript_url: spoken ? `transcripts/${call.id}.txt` : null,
    recording_url: spoken ? `recordings/${call.id}.wav` : null,
    transcript_public_url: spoken ? `${link}/transcript` : null,
    recording_public_url: spoken ? `${link}/recording` : null,
    public_access_token: spoken ? token : null,
    cost_info:
      cost === undefined || seconds === 0
        ? null
        : { dograh_token_usage: tokens(cost), call_duration_seconds: seconds },
    usage_info: cost === undefined || seconds === 0 ? null : { call_duration_seconds: seconds },
    definition_id: 9,
    initial_context: call.sent.initial_context,
    gathered_context: gather(view),
    call_type: 'outbound',
    logs: { telephony_status_callbacks: callbacks(view) },
    annotations: told?.data ?? null,
  };
}

const tokens = (dollars: number) => Math.round(dollars * 1e4) / 100;

/** An item of the organization's usage, the only place with a price in money. */
export function showUsage(world: World, call: Call): Json {
  const view = viewCall(world, call, laterMs);
  const gathered = gather(view);
  return {
    id: Number(call.id),
    workflow_id: agentNumber(world.settings, call.agentId),
    workflow_name:
      agentsOf(world.settings, dograhAgent).find(({ id }) => id === call.agentId)?.name ?? 'Reminder',
    name: runName(call),
    created_at: iso(view.createdAt),
    dograh_token_usage: tokens(view.cost ?? 0),
    call_duration_seconds: view.cost === undefined ? 0 : view.seconds,
    caller_number: call.from,
    called_number: call.phone,
    call_type: 'outbound',
    mode: 'twilio',
    disposition: gathered.mapped_call_disposition ?? null,
    initial_context: call.sent.initial_context,
    gathered_context: gathered,
    charge_usd: view.cost ?? null,
  };
}
