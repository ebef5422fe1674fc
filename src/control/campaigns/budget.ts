import { z } from 'zod';
import { CarillonError } from '../../base/errors.ts';
import { type BudgetState, type Budgets, budgetKinds } from '../../ledger/budgets/budgets.ts';
import type { Order } from '../../rules/order.ts';
import type { ServiceDescription } from '../../voice/description.ts';
import { wholeOf } from '../requests/page.ts';
import { roundTo, shownAs } from '../requests/shown.ts';

/** What calls may cost: the budgets as they stand, and whether the service tells costs at all. */
const money = z.number().min(0);
export const budgetShape = z
  .object({
    kind: z.enum(budgetKinds),
    max: money,
    spent: money.describe('What ended calls cost, as the service told.'),
    reserved: money.describe(
      'Held for calls in progress and for ended calls whose cost is not told yet: for each as much as `next_cost` of its agent.',
    ),
    calls: z.int().min(0).describe('How many calls are in progress.'),
    next_cost: money
      .nullable()
      .describe(
        'What is reserved for one more call: as much as the dearest of its agent’s calls so far. Null until a cost is known: then one call is made at a time.',
      ),
    currency: z.string().nullable().describe('Null where the service does not tell it.'),
    open: z.boolean().describe('Whether one more call fits.'),
    until: z.date().nullable().describe('When the day or the month ends, in UTC; null for a campaign.'),
  })
  .meta({ id: 'Budget' });
export type ShownBudget = z.output<typeof budgetShape>;

export const budgetsAnswer = wholeOf(budgetShape);

/** The budgets of every call of the service, as VOICE_MAX_COST sets them. */
export async function listBudgets(ledger: {
  budgets: Pick<Budgets, 'ofService'>;
}): Promise<z.output<typeof budgetsAnswer>> {
  return { items: (await ledger.budgets.ofService()).map(showBudget), next: null };
}

export function showBudget(budget: BudgetState): ShownBudget {
  const { most, spent, reserved, next, fits } = budget;
  return shownAs(budgetShape, budget, {
    max: most,
    spent: rounded(spent),
    reserved: rounded(reserved),
    next_cost: next === null ? null : rounded(next),
    open: fits,
  });
}

export const rounded = (amount: number) => roundTo(6, Math.max(0, amount));

export const tellsCost = ({ get }: Pick<ServiceDescription, 'get'>): boolean =>
  get.fields.cost !== undefined && get.fields.cost !== null;

/** Refuses a budget that could never be counted. `costs` is false for a service that tells no costs. */
export async function checkBudget(
  { maxCost }: Pick<Order, 'maxCost'>,
  costs: boolean,
  ledger: { budgets: Pick<Budgets, 'currencies'> } | null,
): Promise<void> {
  if (!maxCost) return;
  if (!costs)
    throw refused(
      'The service tells no cost of a call, so what a campaign costs cannot be limited',
      'Leave out --max-cost (max_cost in a request), or limit the calls with --limit or --first.',
    );
  const currencies = (await ledger?.budgets.currencies()) ?? [];
  if (currencies.length > 1)
    throw refused(
      `The service tells costs in ${currencies.join(' and ')}, and a budget counts one currency`,
      'Leave out --max-cost (max_cost in a request) until a month has passed with one currency.',
    );
}

function refused(message: string, remedy: string): CarillonError {
  return new CarillonError('usage-invalid', message, { remedy, issues: [{ path: 'max_cost', message }] });
}
