import type { CourseStep } from '../../api/description.ts';
import { Time } from '../../kit/time.tsx';

/** An attempt from its plan to its end, a line for each step: when, what, and why. */
const labels: Record<CourseStep['step'], string> = {
  waited: 'Plan taken back',
  planned: 'Planned',
  token: 'Its turn',
  sent: 'Sent',
  parked: 'Parked',
  unknown: 'Unknown',
  resolved: 'Resolved',
  answered: 'The service answered',
  'hang-up': 'Hang up',
  polls: 'Polls',
  callback: 'Callback',
  end: 'End',
  webhook: 'Webhook',
};

export function Steps({ of }: { of: readonly CourseStep[] }) {
  return (
    <ol aria-label="Step by step" className="divide-y divide-line">
      {of.map(({ step, at, reason }, nth) => (
        <li
          // biome-ignore lint/suspicious/noArrayIndexKey: a step never moves.
          key={nth}
          className="grid gap-x-4 py-1.5 text-sm sm:grid-cols-[6rem_10rem_minmax(0,1fr)]"
        >
          <span className="text-quiet">{at !== null && <Time at={at} seconds />}</span>
          <span className="font-medium">{labels[step]}</span>
          <span className="[overflow-wrap:anywhere]">{reason?.replace(time, clockOf)}</span>
        </li>
      ))}
    </ol>
  );
}

/** The times within a reason are told in the viewer's zone. */
const time = /\b\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z/g;
const clockOf = (at: string) =>
  new Date(at).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
