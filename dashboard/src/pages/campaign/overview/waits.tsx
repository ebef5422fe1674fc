import type { Campaign } from '../../../api/description.ts';
import { Time } from '../../../kit/time.tsx';
import { type WaitReason, waitWords } from '../../../kit/waits.ts';
import { counted } from '../../../kit/words.ts';

/** Why people wait, the most first, and until when; of a reason that an event ends, by what. */
export function Waits({ campaign: { waits } }: { campaign: Pick<Campaign, 'waits'> }) {
  const reasons = Object.entries(waits).sort(([, a], [, b]) => b.n - a.n);
  return (
    <ul className="mt-3 text-sm" aria-label="Waiting people by reason">
      {reasons.map(([reason, { n, until }]) => (
        <li key={reason} className="text-quiet">
          <b className="text-text">{counted(n, 'person waits', 'people wait')}:</b>{' '}
          {waitWords[reason as WaitReason]}, <Until of={reason as WaitReason} at={until} />
        </li>
      ))}
    </ul>
  );
}

export function Until({ of, at }: { of: WaitReason; at: string | null }) {
  if (!at) return endedBy[of] ?? 'in seconds';
  return (
    <>
      from <Time at={at} />
    </>
  );
}

/** The event that ends a wait without a time of its own. */
const endedBy: Partial<Record<WaitReason, string>> = {
  draft: 'when it is started',
  paused: 'when it is resumed',
  canceled: 'for good',
  'no-run': 'when a run drives it',
  'phone-in-use': 'when that call ends',
  'no-credit': 'when there is credit',
  budget: 'as costs become known, or when it is raised',
  calls: 'as calls end',
  number: 'as calls end',
  refused: 'when the service takes calls',
  never: 'for good',
};
