import { Link } from '@tanstack/react-router';
import type { Report } from '../../../api/description.ts';
import { Badge } from '../../../kit/badge.tsx';
import { Section } from '../../../kit/card.tsx';
import { PartBar } from '../../../kit/part-bar.tsx';
import { count, counted, tenths } from '../../../kit/words.ts';
import { colorOf, outcomes } from '../outcomes.ts';

/** How the calls ended: a bar for each outcome, which opens the people whose last call ended so. */
export function Outcomes({ id, report }: { id: string; report: Report | undefined }) {
  const { calls, outcomes: ended } = report?.total ?? { calls: 0, outcomes: {} };
  const present = outcomes.filter((outcome) => ended[outcome]);
  return (
    <Section
      id="outcomes"
      title="Results so far"
      note={calls > 0 && `of ${counted(calls, 'ended call')}`}
      bare
    >
      <ul className="border-t border-line">
        {present.length === 0 && <li className="py-2 text-sm text-quiet">No call has ended yet.</li>}
        {present.map((outcome) => (
          <li key={outcome} className="border-b border-line text-sm">
            <Link
              to="/campaigns/$id"
              params={{ id }}
              search={{ tab: 'people', outcome }}
              className="grid min-h-[34px] grid-cols-[6.5rem_minmax(0,1fr)_3rem_3.5rem] items-center gap-x-3 hover:bg-quiet-soft"
            >
              <Badge state={outcome} />
              <PartBar part={ended[outcome]! / calls} color={colorOf(outcome)} />
              <span className="number font-medium">{count(ended[outcome]!)}</span>
              <span className="number text-quiet">{tenths(ended[outcome]! / calls)}</span>
            </Link>
          </li>
        ))}
      </ul>
    </Section>
  );
}
