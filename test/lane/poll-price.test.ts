import { describe, expect, test } from 'vitest';
import { createPollPrice } from '../../src/lane/poll-price.ts';

/** Polls due a second when each call is polled at its best interval, with a 2 % chance of ending each second. */
const demand = (inFlight: number, worth: number) => inFlight / Math.sqrt((2 * worth) / 0.02);

function settle(inFlight: number, rate: number, busy: boolean) {
  const price = createPollPrice();
  for (let second = 0; second < 200; second++) {
    for (let i = 0; i < 50; i++) price.planned(Math.sqrt((2 * price.worth(null, busy)) / 0.02), busy);
    price.weigh(inFlight, rate, busy);
  }
  return price;
}

describe('the price of a request', () => {
  test('is high while people wait, and low on a lane with tokens to spare', () => {
    const price = settle(10, 100, true);
    expect(price.worth(null, true)).toBeGreaterThan(10 * price.worth(null, false));
  });

  test('is the owner’s price while people wait', () => {
    expect(createPollPrice().worth(1.5, true)).toBe(1.5);
    expect(createPollPrice().worth(0.1, false)).toBe(0.1);
  });

  test('rises until the polls of all calls in flight fit, and leaves creates their share', () => {
    for (const [inFlight, rate] of [
      [10_000, 20],
      [500, 5],
      [3_000, 50],
    ] as const) {
      const worth = settle(inFlight, rate, true).worth(null, true);
      expect(demand(inFlight, worth)).toBeLessThanOrEqual(rate * 0.9);
      expect(demand(inFlight, worth)).toBeGreaterThan(rate * 0.5);
    }
  });

  test('falls again when the calls have ended', () => {
    const price = settle(10_000, 20, true);
    for (let second = 0; second < 60; second++) price.weigh(5, 20, true);
    expect(price.worth(null, true)).toBe(createPollPrice().worth(null, true));
  });

  test('fits at once when the last of the list was called and every call is worth more polls', () => {
    const price = settle(400, 20, true);
    for (let second = 0; second < 10; second++) {
      const worth = price.worth(null, false);
      const due = Math.min(20, Math.round(demand(400, worth)));
      for (let i = 0; i < due; i++) price.planned(Math.sqrt((2 * worth) / 0.02), false);
      price.weigh(400, 20, false);
    }
    expect(demand(400, price.worth(null, false))).toBeLessThanOrEqual(20);
    expect(demand(400, price.worth(null, false))).toBeGreaterThan(15);
  });

  test('is not raised by chance when some calls wait many times longer than most', () => {
    const price = createPollPrice();
    const worths: number[] = [];
    let dice = 1;
    for (let second = 0; second < 600; second++) {
      for (let i = 0; i < 13; i++) {
        dice = (dice * 16_807) % 2_147_483_647;
        // Two and a half seconds on average, so fourteen polls a second of the sixteen allowed.
        price.planned(dice % 20 === 0 ? 31 : 1, true);
      }
      price.weigh(35, 20, true);
      if (second >= 100) worths.push(price.worth(1, true));
    }
    const mean = worths.reduce((sum, worth) => sum + worth, 0) / worths.length;
    expect(mean).toBeLessThan(1.3);
  });

  test('is not raised by a delay that is the same for every poll', () => {
    const steady = (inFlight: number, lateSeconds: number) => {
      const price = createPollPrice();
      for (let second = 0; second < 100; second++) {
        for (let i = 0; i < 20; i++) {
          price.planned(2, true);
          price.late(lateSeconds);
        }
        price.weigh(inFlight, 20, true);
      }
      return price.worth(1, true);
    };
    // Two seconds of waiting and one of being late: fifteen polls a second of the sixteen allowed.
    expect(steady(45, 1)).toBe(1);
    expect(steady(45, 0)).toBeGreaterThan(1);
    // But when all are late because there are too many, it rises.
    expect(steady(450, 60)).toBeGreaterThan(1);
  });
});
