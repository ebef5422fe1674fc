import { z } from 'zod';
import type { Ledger } from '../../ledger/ledger.ts';
import { searchPeople } from '../people/search.ts';

/** What an act would do, told before it is done: to whom, and at what cost. */
const person = z.object({
  recipient: z.string(),
  campaign: z.string(),
  row: z.int(),
  phone: z.string(),
  name: z.string().nullable(),
});

export const proposalShape = z.object({
  does: z.string().describe('What the act would do, in a sentence.'),
  people: z.int().describe('How many people it is done to.'),
  who: z.array(person).describe('The first of them.'),
  calls: z.int().nullable().describe('How many calls would be made; null where nobody can tell.'),
  cost: z.number().nullable().describe('What they are likely to cost; null where no cost is known.'),
  notes: z.array(z.string()),
});
export type Proposal = z.output<typeof proposalShape>;

export type ProposalDeps = { ledger: Ledger; clock: { now(): number } };

const mostShown = 10;

/** The first people whom a filter of people finds. */
export async function firstPeople(deps: ProposalDeps, filter: object): Promise<Proposal['who']> {
  const { items } = await searchPeople(deps, { ...filter, limit: mostShown });
  const who = items.map(({ id, campaign, row, phone, name }) => ({
    recipient: id,
    campaign,
    row,
    phone,
    name,
  }));
  return who.sort((a, b) => a.row - b.row);
}

/** "1 person", "12 people". */
export function peopleText(n: number): string {
  return n === 1 ? '1 person' : `${n} people`;
}

export function costOf(calls: number, price: number | null): number | null {
  return price === null ? null : Math.round(calls * price * 100) / 100;
}
