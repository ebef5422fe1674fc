import { BudgetMeter } from '../../campaigns/budget.tsx';
import { Section } from '../../kit/page.tsx';
import { useBudgets } from '../../shell/reads.ts';

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
