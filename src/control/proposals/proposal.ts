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

const proposalShape = z.object({
  does: z
    .string()
    .describe('What the act would do, in a sentence: the words of others in it are places such as `{name}`.'),
  quoted: z.record(z.string(), z.string()).describe('What stands at those places.'),
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

type Told = Pick<Proposal, 'does' | 'quoted'>;

/**
 * A sentence of ours. Words of others, such as a name, are given as `{name}`: a bare text does not compile, because it
 * could be anybody's. So no sentence says what a stranger wrote.
 */
export function sentence<const V extends readonly (string | number | Record<string, string>)[]>(
  texts: TemplateStringsArray,
  ...values: { [K in keyof V]: string extends V[K] ? never : V[K] }
): Told {
  const quoted: Record<string, string> = {};
  const shown = (values as V).map((value) => {
    if (typeof value !== 'object') return String(value);
    Object.assign(quoted, value);
    return Object.keys(value)
      .map((place) => `{${place}}`)
      .join(' ');
  });
  return { does: String.raw({ raw: texts }, ...shown), quoted };
}

/** "1 person", "12 people". */
export function peopleText(n: number): '1 person' | `${number} people` {
  return n === 1 ? '1 person' : `${n} people`;
}

export function costOf(calls: number, price: number | null): number | null {
  return price === null ? null : Math.round(calls * price * 100) / 100;
}
