import type { MaxCost } from '../../base/config/max-cost.ts';
import { one } from '../answers.ts';
import type { Database } from '../database.ts';

/** Budgets: what the calls of a campaign may cost, and all calls of a service in a day or a month, in UTC. */
export const budgetKinds = ['campaign', 'day', 'month'] as const;
type BudgetKind = (typeof budgetKinds)[number];

/** A budget at one moment. */
export type BudgetState = {
  kind: BudgetKind;
  most: number;
  /** What ended calls cost, as the service told. */
  spent: number;
  /** What calls under way, and ended calls whose cost is not told, may cost. */
  reserved: number;
  /** How many are under way. */
  calls: number;
  /** What one more may cost, as far as costs were told; null when nothing is known. */
  next: number | null;
  currency: string | null;
  /** Costs are told in several currencies: no call is made, because their sum means nothing. */
  mixed: boolean;
  /** No call's cost is known, and the first may still be told. */
  awaits: boolean;
  /** Whether one more call fits. */
  fits: boolean;
  /** When the period ends; null for a campaign. */
  until: Date | null;
};

/** The price is null where the cost of no call is known. */
export type Price = Pick<BudgetState, 'spent' | 'reserved'> & { price: number | null };

/** A budget that is spent to a large part; `subject` is the campaign's id, or the kind. */
type NearBudget = {
  subject: string;
  whose: string;
  spent: number;
  most: number;
  currency: string | null;
};

export type Budgets = ReturnType<typeof createBudgets>;

export function createBudgets(db: Database, baseUrl: string) {
  return {
    /** A process that dials has this VOICE_MAX_COST; returns the one that holds, the lowest of all that dial. */
    async keep(process: string, { day, month }: MaxCost): Promise<MaxCost> {
      const [row] = await db.query('budgets/keep', { baseUrl, process, day, month });
      return { day: row?.day ?? null, month: row?.month ?? null };
    },
    /** Null for a campaign without a budget of its own. */
    ofCampaign: (id: string): Promise<BudgetState | null> =>
      one(db, 'budgets/of_campaign', { campaignId: id }),
    /** What the next call of a campaign is likely to cost, with a budget or without. */
    async price(id: string): Promise<Price> {
      const [row] = await db.query('budgets/price', { campaignId: id });
      return { price: row!.price, spent: row!.spent ?? 0, reserved: row!.reserved ?? 0 };
    },
    /** The same for a campaign that does not exist yet. */
    async priceOfAgents(agents: readonly string[]): Promise<Price> {
      const [row] = await db.query('budgets/price_of_agents', { baseUrl, agents: [...agents] });
      return { price: row?.price ?? null, spent: 0, reserved: 0 };
    },
    ofService: (): Promise<BudgetState[]> =>
      db.query('budgets/of_service', { baseUrl }) as Promise<BudgetState[]>,
    /** The budget that lets no further call of a campaign pass; null where one fits. */
    async wait(id: string): Promise<{ kind: BudgetKind; until: Date | null } | null> {
      const [row] = (await db.query('budgets/wait', { campaignId: id })) as {
        kind: BudgetKind;
        until: Date | null;
      }[];
      return row ?? null;
    },
    /** The currencies in which the service told costs lately. */
    async currencies(): Promise<string[]> {
      const [row] = await db.query('budgets/currencies', { baseUrl });
      return row?.currencies ?? [];
    },
    /** Budgets of which this share is spent. */
    near: (share: number): Promise<NearBudget[]> =>
      db.query('budgets/near', { baseUrl, share }) as Promise<NearBudget[]>,
  };
}
