import { z } from 'zod';
import { type BudgetState, budgetKinds } from '../../ledger/budgets/budgets.ts';
import type { Campaign } from '../../ledger/campaigns/campaigns.ts';
import type { LaneLine } from '../../ledger/lanes/lanes.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { type Counts, sumsOf } from '../../ledger/tallies/tallies.ts';
import type { Watched } from '../../rules/alerts.ts';
import {
  type Cause,
  causes,
  endings,
  findStandstill,
  holdsTheDue,
  needsPerson,
  type Standstill,
} from '../../rules/standstill.ts';
import { type CountedWait, isTurn } from '../../rules/wait-reason.ts';
import { waitsOf } from '../people/waits.ts';
import { findDialTrouble } from '../processes/dialers.ts';

/** Why a campaign makes no call: gathers what the rule needs, and no more than its state makes necessary. */
export const standstillShape = z
  .object({
    cause: z.enum(causes),
    ends: z
      .enum(endings)
      .describe(
        '`time`: by itself; `resume`: when it is resumed; `act`: by another act, or when what fails recovers.',
      ),
    ends_when: z
      .string()
      .nullable()
      .describe('What ends it; it follows on "It goes on ". Null where a time or its resumption does.'),
    budget: z
      .enum(budgetKinds)
      .nullable()
      .describe('Whose budget allows no further call; null for another cause.'),
    message: z.string().describe('What happened; it follows on "NAME calls nobody: ".'),
    since: z.date().describe('Since when it makes no call.'),
    until: z
      .date()
      .nullable()
      .describe('When it ends by itself, or is tried again; null when it takes an act or an event.'),
    act: z.string().describe('What to do.'),
    people: z.int().min(0).describe('How many people wait for it.'),
  })
  .meta({ id: 'Standstill' });

type Asked = Omit<Campaign, 'columns' | 'runId' | 'renewing'>;

export type StandstillLedger = Pick<
  Ledger,
  'baseUrl' | 'budgets' | 'lanes' | 'processes' | 'reports' | 'series' | 'calendarOf'
>;

/** Reads what all campaigns share once, and nothing of one that makes calls. */
export function createStandstills(ledger: StandstillLedger) {
  const { processes, lanes, series } = ledger;
  let shared: Promise<[string | null, LaneLine[]]> | undefined;
  return async (
    campaign: Asked,
    counts: Counts,
    known?: readonly CountedWait[],
  ): Promise<Standstill | null> => {
    const { id, state, baseUrl } = campaign;
    const facts = { campaign, counts, waits: [], trouble: null, budget: null, keys: [] };
    const untold = { lastCall: null, changedAt: null };
    const now = Date.now();
    if (state !== 'running') return findStandstill({ ...facts, ...untold, now });
    // Of another service this process knows neither keys nor workers.
    if (baseUrl === ledger.baseUrl) shared ??= Promise.all([findDialTrouble({ processes }), lanes.list()]);
    const [trouble, keys] = (await shared) ?? [null, []];
    if (counts.calling > 0 && trouble === null && campaign.driver === 'background') return null;
    const waits = known ?? (await waitsOf(ledger, campaign, counts));
    const isShort = waits.some(({ reason }) => reason === 'budget');
    const [called, budget] = await Promise.all([
      series.lastCall(id),
      isShort ? shortBudget(ledger, id) : null,
    ]);
    return findStandstill({ ...facts, ...called, waits, trouble, budget, keys, now });
  };
}

/** The budget that lets no further call of the campaign pass. */
async function shortBudget({ budgets }: StandstillLedger, id: string): Promise<BudgetState | null> {
  const short = await budgets.wait(id);
  if (short?.kind === 'campaign') return budgets.ofCampaign(id);
  return (await budgets.ofService()).find(({ kind }) => kind === short?.kind) ?? null;
}

/** An alert of the key itself says these. */
const alertedByKey: ReadonlySet<Cause> = new Set<Cause>(['refused', 'no-credit', 'history-lost']);
/** More campaigns than these are not looked at: an alert tells of each. */
const mostLooked = 200;

/** The campaigns that stand still while people are due and their hours are open, until somebody acts. */
export async function campaignsStill(ledger: Ledger): Promise<Watched['still'][number][]> {
  const lines = await ledger.campaigns.page(null, mostLooked, ['running', 'paused'], null, ['list']);
  const standstillOf = createStandstills(ledger);
  const found = await Promise.all(
    lines
      .filter(({ baseUrl }) => baseUrl === ledger.baseUrl)
      .map(async (line) => {
        const { counts } = sumsOf(line);
        const standstill = await standstillOf(line, counts);
        if (!standstill || !needsPerson(standstill) || alertedByKey.has(standstill.cause)) return [];
        const { cause } = standstill;
        const isDue = cause === 'unknown' || holdsTheDue(cause) || (await someoneIsDue(ledger, line, counts));
        if (!isDue) return [];
        const message = `${line.name} calls nobody: ${standstill.message}`;
        return [{ subject: line.id, message, remedy: standstill.act }];
      }),
  );
  return found.flat();
}

/** Whether somebody could be called now if the campaign were dialled. */
async function someoneIsDue(ledger: Ledger, campaign: Asked, counts: Counts): Promise<boolean> {
  const dialled = { ...campaign, state: 'running', driver: 'background' } as const;
  return (await waitsOf(ledger, dialled, counts)).some(
    ({ reason }) => isTurn(reason) || reason === 'phone-in-use',
  );
}
