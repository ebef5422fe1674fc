import type { ReactNode } from 'react';
import type { Budget } from '../api/ask.ts';
import { Meter } from '../kit/bars.tsx';
import { Section } from '../kit/page.tsx';
import { cost, counted } from '../kit/words.ts';
import { useBudgets } from '../shell/reads.ts';

const names = { campaign: 'Budget', day: 'Today', month: 'This month' } as const;

/** A budget: what is spent and held back of it, and for how many more calls the rest is enough; `children` say what can be done. */
type BudgetMeterProps = { budget: Budget; unknown?: boolean; children?: ReactNode };

export function BudgetMeter({ budget, unknown = false, children }: BudgetMeterProps) {
  const { kind, max, spent, reserved, calls, currency } = budget;
  const held = calls === 0 ? '' : `, ${cost(reserved)} reserved for ${counted(calls, 'call')}`;
  return (
    <div>
      <p className="mb-1.5 flex items-baseline justify-between gap-3 text-sm">
        <span className="font-medium">{names[kind]}</span>
        {children}
      </p>
      <Meter
        label={names[kind]}
        value={spent + reserved}
        most={max}
        held={reserved}
        heldFill={unknown ? 'bg-odd-fill' : 'bg-live-fill'}
        words={`${cost(spent)} of ${cost(max, currency)} spent${held}; ${restWords(budget)}`}
      />
    </div>
  );
}

/** Only what costs have shown: before the first, nothing can be said of the rest. */
function restWords({ max, spent, reserved, next_cost: each, open, until, kind }: Budget) {
  if (each === null) return 'one call at a time until the first cost is known';
  if (open)
    return `enough for at least ${counted(Math.max(1, Math.floor((max - spent - reserved) / each)), 'call')}`;
  return until ? `nobody is called until the ${kind} ends (UTC)` : 'the next call would pass it';
}

/** What all calls of the service may cost today and this month, where VOICE_MAX_COST says so. */
export function Budgets() {
  const items = useBudgets().data?.items ?? [];
  if (items.length === 0) return null;
  return (
    <Section title="Money" note="days and months in UTC">
      <ul className="grid gap-4 border-t border-line pt-3">
        {items.map((budget) => (
          <li key={budget.kind}>
            <BudgetMeter budget={budget} />
          </li>
        ))}
      </ul>
    </Section>
  );
}
