import type { ReactNode } from 'react';
import type { Budget } from '../api/description.ts';
import { Meter } from '../kit/meter.tsx';
import { cost, count, counted } from '../kit/words.ts';

/** A budget: what is spent and held back of it, and for how many more calls the rest is enough. */
type BudgetMeterProps = {
  budget: Budget;
  /** Calls a minute, where they are known. */
  pace?: number | null;
  /** What can be done about it. */
  children?: ReactNode;
};

const names = { campaign: 'Budget', day: 'Today', month: 'This month' } as const;

export function BudgetMeter({ budget, pace = null, children }: BudgetMeterProps) {
  const { kind, max, spent, reserved } = budget;
  const name = names[kind];
  const words = `${cost(spent)} of ${cost(max, budget.currency)} spent${heldWords(budget)}; ${restWords(budget, pace)}`;
  return (
    <div>
      <p className="mb-1.5 flex items-baseline justify-between gap-3 text-sm">
        <span className="font-medium">{name}</span>
        {children}
      </p>
      <Meter label={name} value={spent + reserved} most={max} held={reserved} words={words} />
    </div>
  );
}

function heldWords({ reserved, calls }: Budget): string {
  return calls === 0 ? '' : `, ${cost(reserved)} held for ${counted(calls, 'call')} not paid yet`;
}

/** Only what costs have shown: before the first, nothing can be said of the rest. */
function restWords(
  { max, spent, reserved, likely_cost: each, open, until, kind }: Budget,
  pace: number | null,
) {
  if (each === null) return 'one call at a time until the first cost is known';
  if (!open) {
    if (until) return `nobody is called until the ${kind} ends (UTC)`;
    return 'the next call would pass it';
  }
  const left = Math.max(1, Math.floor((max - spent - reserved) / each));
  const minutes = pace ? Math.round(left / pace) : 0;
  const long =
    minutes >= 1
      ? `, some ${minutes >= 120 ? `${count(Math.round(minutes / 60))} hours` : counted(minutes, 'minute')}`
      : '';
  return `enough for about ${counted(left, 'call')}${long}`;
}
