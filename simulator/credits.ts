/** What a call costs, and the organization's credit, shared by all its keys: counted in calls or in money. */
import type { Settings } from './settings.ts';

/** The cost of this many seconds of talk. A call that nobody answered is free. */
export function costOf(seconds: number, { pricePerMinute, billing }: Settings): number {
  const minutes = billing === 'minute' ? Math.ceil(seconds / 60) : seconds / 60;
  return Math.round(minutes * pricePerMinute * 1e4) / 1e4;
}

export type Credits = {
  suffices(): boolean;
  /** Charges one call of this cost. Credit in money may go a little below zero, as it does at real services. */
  charge(cost: number): void;
  /** Gives back what a canceled call did not use. */
  refund(cost: number): void;
  set(balance: number | null): void;
  add(amount: number): void;
  balance(): number | null;
};

export function createCredits(start: number | null, unit: 'calls' | 'money'): Credits {
  let balance = start;
  const move = (amount: number) => {
    // Cents are fractions in binary: unrounded, a credit of 0.3 would not pay for three calls of 0.1.
    if (balance !== null) balance = Math.round((balance + amount) * 1e6) / 1e6;
  };
  return {
    suffices: () => balance === null || (unit === 'calls' ? balance >= 1 : balance > 0),
    charge: (cost) => move(unit === 'calls' ? -1 : -cost),
    refund(cost) {
      if (unit === 'money') move(cost);
    },
    set(next) {
      balance = next;
    },
    add: (amount) => move(amount),
    balance: () => balance,
  };
}
