import type { Campaign } from '../../../api/description.ts';
import { Section } from '../../../kit/card.tsx';
import { PartBar } from '../../../kit/part-bar.tsx';
import { Time } from '../../../kit/time.tsx';
import { type WaitReason, waitWords } from '../../../kit/waits.ts';
import { count, counted } from '../../../kit/words.ts';

/** Why people wait, the most first, and until when; of a reason that an event ends, by what. */
export function Waits({ campaign: { waits } }: { campaign: Campaign }) {
  const reasons = Object.entries(waits).sort(([, a], [, b]) => b.n - a.n);
  const all = reasons.reduce((sum, [, { n }]) => sum + n, 0);
  const most = reasons[0]?.[1].n ?? 1;
  return (
    <Section
      id="waits"
      title={all === 0 ? 'Nobody waits' : `Why ${counted(all, 'person waits', 'people wait')}`}
      bare
    >
      <ul className="border-t border-line" aria-label="Waiting people by reason">
        {reasons.map(([reason, { n, until }]) => (
          <li
            key={reason}
            className="grid min-h-[34px] grid-cols-[3.5rem_minmax(0,1fr)] items-center gap-x-3.5 border-b border-line py-1.5 text-sm sm:grid-cols-[3.5rem_7rem_minmax(0,1fr)_auto]"
          >
            <span className="number font-medium">{count(n)}</span>
            <span className="max-sm:hidden">
              <PartBar part={n / most} />
            </span>
            <span>{waitWords[reason as WaitReason]}</span>
            <span className="text-xs text-quiet max-sm:col-start-2">
              {until ? (
                <>
                  from <Time at={until} />
                </>
              ) : (
                (endedBy[reason as WaitReason] ?? 'in seconds')
              )}
            </span>
          </li>
        ))}
      </ul>
    </Section>
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
