import { describe, expect, it } from 'vitest';
import {
  lookAtNumbers,
  type NumberCalls,
  type NumberTally,
  newWatch,
  noRecent,
  onTrial,
  readWatch,
  watchNumber,
} from '../../src/rules/number-watch.ts';
import { seeded } from '../support/random.ts';

const none = { calls: 0, answered: 0, long: 0 };
const names = Array.from({ length: 20 }, (_, i) => `+1212555${1_000 + i}`);
/** Two campaigns whose people answer differently. */
const campaigns = [
  ['warm', 0.4],
  ['cold', 0.15],
] as const;

/** Twenty numbers in two campaigns, call by call; `share` is what a number keeps of its answers. */
function play(
  seed: number,
  rounds: number,
  keeps: (name: string, round: number) => { answers: number; long: number },
) {
  const random = seeded(seed);
  const watches = new Map(names.map((name) => [name, newWatch()]));
  const rests: { name: string; round: number; why: string; sure: number }[] = [];
  let tallies: NumberTally[] = campaigns.flatMap(([campaign]) =>
    names.map((name) => ({ campaign, name, rests: false, fresh: none, recent: noRecent })),
  );
  for (let round = 0; round < rounds; round += 1) {
    // The day goes by: everyone answers less in the evening.
    const hour = 1 + 0.4 * Math.sin(round / 20);
    for (const tally of tallies) {
      const share = campaigns.find(([name]) => name === tally.campaign)![1] * hour;
      const { answers, long } = keeps(tally.name, round);
      const answered = random() < share * answers ? 1 : 0;
      tally.fresh = tally.rests
        ? none
        : { calls: 1, answered, long: answered && random() < 0.8 * long ? 1 : 0 };
    }
    const looked = lookAtNumbers(tallies, (name) => watches.get(name)!);
    tallies = looked.tallies;
    for (const [name, { watch, why, sure }] of looked.verdicts) {
      watches.set(name, watch);
      if (why === null) continue;
      rests.push({ name, round, why, sure });
      for (const tally of tallies) if (tally.name === name) tally.rests = true;
    }
  }
  return rests;
}

const sound = { answers: 1, long: 1 };

describe('the watch over caller numbers', () => {
  it('rests a number that people stop answering, and no other, and says how sure it is', () => {
    for (let seed = 1; seed <= 4; seed += 1) {
      const rests = play(seed, 900, (name, round) =>
        name === names[7] && round >= 500 ? { answers: 0.1, long: 1 } : sound,
      );
      expect(rests).toEqual([
        { name: names[7], round: expect.any(Number), why: 'answers', sure: expect.any(Number) },
      ]);
      const { round, sure } = rests[0]!;
      // Two calls a round.
      expect((round - 500) * 2).toBeLessThan(400);
      expect(round).toBeGreaterThan(500);
      expect(sure).toBeGreaterThan(0.999);
    }
  });

  it('rests a number on which people hang up at once', () => {
    const rests = play(3, 1_100, (name, round) =>
      name === names[2] && round >= 500 ? { answers: 1, long: 0.1 } : sound,
    );
    expect(rests).toMatchObject([{ name: names[2], why: 'short' }]);
  });

  it('rests none when all are answered less: that is the hour, the list or the service', () => {
    for (let seed = 1; seed <= 3; seed += 1)
      expect(play(seed, 1_000, (_, round) => (round >= 500 ? { answers: 0.2, long: 0.5 } : sound))).toEqual(
        [],
      );
  });

  it('rests none while nothing changes', () => {
    for (let seed = 1; seed <= 4; seed += 1) expect(play(seed, 1_000, () => sound)).toEqual([]);
  });

  it('rests none that was always answered less than the others', () => {
    for (let seed = 1; seed <= 3; seed += 1)
      expect(play(seed, 1_000, (name) => (name === names[4] ? { answers: 0.45, long: 1 } : sound))).toEqual(
        [],
      );
  });

  it('does not rest the last number, which nobody can be compared with', () => {
    const watch = [...Array(500)].reduce(
      (known) =>
        watchNumber(known, [{ calls: 1, answered: 0, long: 0, others: noRecent } satisfies NumberCalls])
          .watch,
      newWatch(),
    );
    expect(watch.answers).toEqual(newWatch().answers);
  });

  it('needs half of the evidence for a number on trial, and forgets it when a person returns the number', () => {
    const others = {
      many: { calls: 900, answered: 300, long: 250 },
      last: { calls: 240, answered: 80, long: 67 },
    };
    let watch = newWatch();
    for (let i = 0; i < 300; i += 1)
      watch = watchNumber(watch, [{ calls: 3, answered: 1, long: 1, others }]).watch;
    const callsUntilRest = (from: typeof watch) => {
      let known = from;
      for (let calls = 1; ; calls += 1) {
        const verdict = watchNumber(known, [{ calls: 1, answered: 0, long: 0, others }]);
        if (verdict.why !== null) return calls;
        known = verdict.watch;
      }
    };
    const fresh = callsUntilRest(readWatch({ past: watch.past }));
    expect(callsUntilRest(readWatch(JSON.parse(JSON.stringify(onTrial(watch)))))).toBeLessThan(fresh * 0.65);
    expect(fresh).toBeLessThan(100);
  });
});
