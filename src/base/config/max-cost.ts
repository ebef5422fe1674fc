import { wrong } from './keys.ts';

/** VOICE_MAX_COST: what all calls of a service may cost in a day and in a month, in the service's currency. */
export type MaxCost = Readonly<{ day: number | null; month: number | null }>;

const most = 1_000_000_000;

/** A sum of money as people type it, without a sign or a currency; null for anything else. */
export function readAmount(text: string): number | null {
  if (!/^\s*\d+(\.\d+)?\s*$/.test(text)) return null;
  const amount = Number(text);
  return amount > 0 && amount <= most ? amount : null;
}

/** `tellsCost` is false for a service that tells no costs. */
export function parseMaxCost(text: string | undefined, tellsCost = true): MaxCost | undefined {
  if (text === undefined) return undefined;
  if (!tellsCost)
    throw wrong(
      'VOICE_MAX_COST',
      'cannot be kept: the service tells no cost of a call',
      'Remove it; VOICE_MAX_CALLS and a campaign’s --limit or --first limit calls.',
    );
  const found: { day: number | null; month: number | null } = { day: null, month: null };
  for (const part of text.split(',')) {
    const [, period, amount] = /^\s*(day|month)\s*:(.*)$/.exec(part) ?? [];
    const value = readAmount(amount ?? '');
    if (value === null || found[period as 'day' | 'month'] !== null)
      throw wrong(
        'VOICE_MAX_COST',
        `is not a cost a day, a month or both: ${text}`,
        'Write day:200,month:3000, or one of the two, each up to 1000000000.',
      );
    found[period as 'day' | 'month'] = value;
  }
  return found;
}
