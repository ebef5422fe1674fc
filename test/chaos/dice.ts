/** Seeded randomness: the same seed makes the same round. */
export type Dice = {
  /** From 0 up to, not including, 1. */
  roll(): number;
  between(least: number, most: number): number;
  whole(least: number, most: number): number;
  /** True with this probability. */
  is(chance: number): boolean;
  pick<T>(items: readonly T[]): T;
  /** By weight. */
  draw<T extends string>(weights: Readonly<Partial<Record<T, number>>>): T;
};

/** Mulberry32: small, and random enough for a schedule. */
export function createDice(seed: number): Dice {
  let state = seed >>> 0;
  const roll = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (least: number, most: number) => least + (most - least) * roll();
  return {
    roll,
    between,
    whole: (least, most) => Math.floor(between(least, most + 1)),
    is: (chance) => roll() < chance,
    pick: (items) => items[Math.floor(roll() * items.length)]!,
    draw(weights) {
      const entries = Object.entries(weights) as [keyof typeof weights, number][];
      let left = roll() * entries.reduce((sum, [, weight]) => sum + weight, 0);
      for (const [name, weight] of entries) {
        left -= weight;
        if (left < 0) return name;
      }
      return entries.at(-1)![0];
    },
  };
}
