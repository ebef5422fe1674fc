import { describe, expect, it } from 'vitest';
import { hearBusy, hearClean, newBelief } from '../../../src/rules/limit/belief.ts';
import { type Cap, capAfterBusy, capAfterClean, capAt, newCap } from '../../../src/rules/limit/cap.ts';

/** Tells a 429 for too many calls at once from one for the rate. */
const refuse = (cap: Cap, now: number, inFlight = 4) => capAfterBusy(cap, { now, kind: 'create', inFlight });
const pass = (cap: Cap, now: number, polls = 2) => capAfterClean(cap, { now, creates: 0, polls });
const place = (cap: Cap, now: number) => capAfterClean(cap, { now, creates: 1, polls: 0 });

function learned(): Cap {
  let { cap } = refuse(newCap(0), 1_000);
  cap = refuse(pass(cap, 1_500), 2_000).cap;
  return refuse(pass(cap, 2_500), 3_000).cap;
}

describe('a cap of calls at once', () => {
  it('is assumed when creates are refused again and again while polls pass', () => {
    expect(capAt(learned(), 3_000)).toBe(4);
  });

  it('is not assumed when no poll passed between the refusals, or one was refused, or a create was accepted', () => {
    let cap = newCap(0);
    for (let i = 0; i < 9; i++) cap = refuse(cap, i * 1_000).cap;
    expect(capAt(cap, 9_000)).toBeNull();
    cap = refuse(pass(cap, 9_500), 10_000).cap;
    expect(capAt(place(cap, 10_500), 11_000)).toBeNull();
    const polled = capAfterBusy(cap, { now: 10_500, kind: 'poll', inFlight: 4 });
    expect(polled.isCap).toBe(false);
    expect(refuse(pass(polled.cap, 11_000), 12_000).isCap).toBe(false);
  });

  it('is not assumed while no call is in progress', () => {
    let cap = newCap(0);
    for (let i = 0; i < 9; i++) cap = pass(refuse(cap, i * 1_000, 0).cap, i * 1_000 + 500);
    expect(capAt(cap, 9_000)).toBeNull();
  });

  it('falls to what the service refuses, and rises when it accepts one more', () => {
    let cap = refuse(learned(), 4_000, 6).cap;
    expect(capAt(cap, 4_000)).toBe(4);
    const later = cap.tryAt + 1;
    expect(capAt(cap, later)).toBe(5);
    const risen = place(cap, later + 6_000);
    expect(risen.most).toBe(5);
    cap = refuse(cap, later, 4).cap;
    expect(cap.tryAt - later).toBeGreaterThan(40_000);
    expect(capAt(cap, later + 1)).toBe(4);
  });

  it('restores the rate that its refusals had lowered', () => {
    let belief = newBelief(0);
    const { rate } = belief.pace;
    const busy = (now: number) => ({
      now,
      sentAt: now - 50,
      retryAfterMs: null,
      random: () => 0.5,
      kind: 'create' as const,
      inFlight: 4,
    });
    for (const now of [1_000, 3_000]) {
      belief = hearBusy(belief, busy(now)).belief;
      belief = hearClean(belief, { now: now + 1_000, sentAt: now + 900, count: 1, creates: 0, eager: false });
    }
    expect(belief.pace.rate).toBeLessThan(rate);
    const decided = hearBusy(belief, busy(5_000));
    expect(decided.isCap).toBe(true);
    expect(decided.belief.pace.rate).toBe(rate);
    expect(decided.belief.pace.stall).toBeNull();
  });
});
