import { Link } from '@tanstack/react-router';
import type { Campaign } from '../../../api/description.ts';
import { Badge } from '../../../kit/badge.tsx';
import { Section } from '../../../kit/card.tsx';
import { PartBar } from '../../../kit/part-bar.tsx';
import { count, counted, tenths } from '../../../kit/words.ts';
import { outcomeColors, outcomes } from '../outcomes.ts';

/** How the last call of each person ended: a bar for each outcome, which opens its people. */
export function Outcomes({ campaign: { id, balance } }: { campaign: Campaign }) {
  const present = outcomes.filter((outcome) => (balance.outcomes[outcome] ?? 0) > 0);
  const ended = present.reduce((sum, outcome) => sum + balance.outcomes[outcome]!, 0);
  return (
    <Section
      id="outcomes"
      title="Results so far"
      note={`${counted(ended, 'person', 'people')}, by the last call of each`}
      bare
    >
      <ul className="border-t border-line">
        {present.length === 0 && <li className="py-2 text-sm text-quiet">Nobody is done yet.</li>}
        {present.map((outcome) => (
          <li key={outcome} className="border-b border-line text-sm">
            <Link
              to="/campaigns/$id"
              params={{ id }}
              search={{ tab: 'people', outcome }}
              className="grid min-h-[34px] grid-cols-[7rem_minmax(0,1fr)_3.5rem_3.5rem] items-center gap-x-3 hover:bg-quiet-soft"
            >
              <Badge state={outcome} />
              <PartBar part={balance.outcomes[outcome]! / ended} color={outcomeColors[outcome]} />
              <span className="number font-medium">{count(balance.outcomes[outcome]!)}</span>
              <span className="number text-quiet">{tenths(balance.outcomes[outcome]! / ended)}</span>
            </Link>
          </li>
        ))}
      </ul>
    </Section>
  );
}
