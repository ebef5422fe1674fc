import type { AttemptCourse, CourseStep } from '../../api/description.ts';

/** The course of an attempt as spans of time: what began when, and how long it lasted. */
export type Span = {
  step: CourseStep['step'];
  label: string;
  /** Milliseconds since 1970; null where the ledger keeps no time. */
  from: number | null;
  /** Null for what is a moment. */
  to: number | null;
  reason: string | null;
  fill: string;
};

export type Course = { spans: Span[]; begin: number; end: number };

const looks: Record<CourseStep['step'], [label: string, fill: string]> = {
  waited: ['Plan taken back', 'bg-ink-3'],
  planned: ['Planned', 'bg-ink-2'],
  token: ['Its turn', 'bg-ink-2'],
  sent: ['Sent', 'bg-live-fill'],
  parked: ['Parked', 'bg-warn-fill'],
  unknown: ['Unknown', 'bg-odd-fill'],
  resolved: ['Resolved', 'bg-odd-fill'],
  answered: ['The service answered', 'bg-ink'],
  'hang-up': ['Hang up', 'bg-bad-fill'],
  polls: ['Polls', 'bg-ink-3'],
  callback: ['Callback', 'bg-warn-fill'],
  end: ['End', 'bg-ink'],
  webhook: ['Webhook', 'bg-ink-2'],
};

/** These last until the next step that ends them; the others are moments. */
const lasts = new Set(['planned', 'sent', 'parked', 'unknown', 'answered']);
/** None of these ends what lasts. */
const endsNothing = new Set(['polls', 'webhook', 'hang-up', 'callback']);

export function courseOf({ course, state, started_at, ended_at }: AttemptCourse, now: number): Course {
  const times = course.map(({ at }) => (at === null ? null : Date.parse(at)));
  const isOver = state === 'done' || state === 'refused' || state === 'dropped';
  const spans = course.map(({ step, reason }, nth): Span => {
    const [label, fill] = looks[step];
    const from = times[nth]!;
    const ender = course.findIndex(
      ({ step: later, at }, other) =>
        other > nth && at !== null && !endsNothing.has(later) && later !== 'sent',
    );
    const next = step === 'token' || ender === -1 ? null : times[ender]!;
    const to = lasts.has(step) ? (next ?? (isOver ? null : now)) : null;
    return { step, label, from, to, reason: told(reason), fill };
  });
  addCall(spans, started_at, ended_at);
  spanPolls(spans, now);
  const known = spans.flatMap(({ from, to }) => [from, to]).filter((at) => at !== null);
  const begin = Math.min(...known);
  return { spans, begin, end: Math.max(begin + 1, ...known) };
}

/** The call by the service's own times: they stand within ours where the clocks agree. */
function addCall(spans: Span[], started: string | null, ended: string | null): void {
  const answered = spans.findIndex(({ step }) => step === 'answered');
  if (answered === -1 || !started || !ended) return;
  spans[answered]!.to = Math.max(Date.parse(ended), spans[answered]!.from!);
}

/** From the call's beginning to the last one, or to now. */
function spanPolls(spans: Span[], now: number): void {
  const answered = spans.find(({ step }) => step === 'answered');
  for (const span of spans) {
    if (span.step !== 'polls' || !answered) continue;
    const last = span.from;
    span.from = answered.from;
    span.to = last ?? now;
  }
}

const time = /\b\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z/g;
const shown = new Intl.DateTimeFormat(undefined, {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
});

/** The times within a reason in the viewer's zone. */
function told(reason: string | null): string | null {
  return reason?.replace(time, (at) => shown.format(new Date(at))) ?? null;
}
