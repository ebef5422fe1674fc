import { Link } from '@tanstack/react-router';
import type { Campaign } from '../../../api/description.ts';
import { BalanceBar } from '../../../kit/balance-bar.tsx';
import { classes, count, counted } from '../../../kit/words.ts';
import { outcomeFills, outcomes } from '../outcomes.ts';

/** Where its rows are, and how its calls ended: two bars, one below the other, that lead to the people. */
export function BalanceParts({ campaign: { id, balance, opt_outs: optOuts } }: { campaign: Campaign }) {
  const ended = outcomes.reduce((sum, outcome) => sum + (balance.outcomes[outcome] ?? 0), 0);
  return (
    <div className="space-y-4">
      <div>
        <p className="mb-1 font-medium">{counted(balance.rows, 'row')}</p>
        <BalanceBar balance={balance} legend />
      </div>
      <div>
        <p className="mb-1 font-medium">
          {counted(ended, 'person', 'people')} done, by how the last call ended
        </p>
        <OutcomeBar outcomes={balance.outcomes} ended={ended} />
        <ul className="mt-2 flex flex-wrap gap-x-4 gap-y-0.5 text-sm">
          {outcomes.map((outcome) => {
            const n = balance.outcomes[outcome] ?? 0;
            if (n === 0) return null;
            return (
              <li key={outcome} className="flex items-center gap-1.5">
                <span className={classes('size-2.5 rounded-xs', outcomeFills[outcome])} aria-hidden="true" />
                <Link
                  to="/campaigns/$id"
                  params={{ id }}
                  search={{ tab: 'people', outcome }}
                  className="hover:underline"
                >
                  <span className="font-medium">{count(n)}</span>{' '}
                  <span className="text-quiet">{outcome}</span>
                </Link>
              </li>
            );
          })}
        </ul>
      </div>
      {optOuts.people > 0 && (
        <p className="text-sm">
          {counted(optOuts.people, 'person', 'people')} said that they want no more calls, and{' '}
          {optOuts.people === 1 ? 'is' : 'are'} suppressed.
        </p>
      )}
    </div>
  );
}

function OutcomeBar({
  outcomes: counts,
  ended,
}: {
  outcomes: Campaign['balance']['outcomes'];
  ended: number;
}) {
  const present = outcomes.filter((outcome) => (counts[outcome] ?? 0) > 0);
  const words = present.map((outcome) => `${count(counts[outcome]!)} ${outcome}`).join(', ');
  return (
    <div
      role="img"
      aria-label={ended === 0 ? 'nobody is done' : words}
      className="flex h-2.5 w-full gap-px overflow-hidden rounded-sm bg-sunken"
    >
      {present.map((outcome) => (
        <span
          key={outcome}
          title={`${count(counts[outcome]!)} ${outcome}`}
          className={classes('min-w-0.5', outcomeFills[outcome])}
          style={{ flexGrow: counts[outcome]!, flexBasis: 0 }}
        />
      ))}
    </div>
  );
}
