import type { ShownCourse } from '../../control/calls/course.ts';
import type { FetchedCall } from '../../control/calls/service-record.ts';
import type { ShownCall } from '../../control/calls/show.ts';
import { factLines, timeText } from '../terminal/table.ts';
import { waitText } from './outlook-words.ts';
import { duration } from './summary.ts';

/** One call for a person to read: a line with its state, then what is known of it. */
export function drawCall(call: FetchedCall, now: number): string[] {
  const { record } = call;
  return [
    headline(call),
    ...factLines([
      ['Phone', call.phone],
      ['Direction', call.direction],
      ['Agent', call.agent_id],
      ['Key', call.key],
      ['Campaign', call.campaign ? `${call.campaign}, row ${call.row}, which is ${call.state}` : null],
      ['Waits', waitOf(call, now)],
      ['Duration', typeof call.duration === 'number' ? duration(call.duration) : null],
      ['Cost', typeof call.cost === 'number' ? String(call.cost) : null],
      ['Created', whenOf(record?.created_at)],
      ['Updated', whenOf(record?.updated_at)],
      ['Recording', call.recording_url],
      ['Metadata', call.metadata ? JSON.stringify(call.metadata) : null],
      ['Data', call.structured_data ? JSON.stringify(call.structured_data) : null],
      ['Error', call.error],
    ]),
    ...(call.transcript ? ['', call.transcript] : []),
  ];
}

/** The service's text, if it is not a time with its zone. */
function whenOf(text: string | null | undefined): string | null {
  const at = new Date(text && /(?:Z|[+-]\d\d:?\d\d)$/.test(text) ? text : '');
  return Number.isNaN(at.getTime()) ? (text ?? null) : timeText(at);
}

type Waiting = Pick<FetchedCall, 'reason' | 'until'>;

/** Null for a call that does not wait, or never will again. */
function waitOf({ reason, until }: Waiting, now: number): string | null {
  return reason === null || reason === 'never' ? null : waitText(reason, until, now);
}

/** A call that has no key yet, because something holds it. */
export function waitingCall(call: ShownCall, now: number): string {
  return `The call ${call.id} to ${call.phone} waits ${waitOf(call, now) ?? 'for a worker'}`;
}

function headline(call: FetchedCall): string {
  const { call_id: callId, outcome, status, state } = call;
  if (callId === null) return `The call ${call.id} ${state === null ? 'was not placed' : stands[state]}`;
  const id = `Call ${callId}`;
  const reported = status !== null && status !== outcome ? `, status ${status}` : '';
  if (outcome !== null) return `${id} has ended: ${outcome}${reported}`;
  if (state === 'unknown') return `${id} was placed, but its end was never reported${reported}`;
  return `${id} has not ended: ${status ?? 'no status was reported'}`;
}

/** The words for a row whose latest attempt has no call. */
const stands: Record<ShownCall['state'], string> = {
  waiting: 'waits',
  queued: 'is queued',
  calling: 'is being dialled',
  parked: 'is parked',
  unknown: 'is unknown: it may have been made',
  done: 'is done',
  rejected: 'was rejected',
  skipped: 'was skipped',
};

/** Each request of an attempt as a line for curl, with its answer. */
export function drawTrace({ id, exchanges }: Pick<ShownCourse, 'id' | 'exchanges'>): string[] {
  if (exchanges.length === 0)
    return [`No requests of the attempt ${id} are kept: requests are deleted after a week.`];
  return exchanges.flatMap((each) => [
    `${timeText(each.at)}  ${each.operation}, ${each.ms} ms`,
    `  ${each.curl}`,
    each.status === null
      ? `  no answer: ${each.why ?? 'unknown'}`
      : `  ${each.status} ${(each.answer ?? '').trim()}${each.why ? ` (${each.why})` : ''}`,
    '',
  ]);
}
