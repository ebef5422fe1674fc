import { randomInt } from 'node:crypto';

/**
 * Remembers the line on which each phone of a file was first. A phone has at most 15 digits, so it is a number, and a
 * table of numbers takes about 24 bytes per row. A Map would take 100 and end at 16 million.
 */
export type Seen = {
  /** The line on which the phone was first, or null if this is the first. */
  firstSight(phone: string, line: number): number | null;
};

/** Odd factors of the hash. They are random, so that no file can be crafted whose phones all need one slot. */
type HashKeys = { low: number; high: number };

const randomKeys = (): HashKeys => ({ low: randomInt(2 ** 31) * 2 + 1, high: randomInt(2 ** 31) * 2 + 1 });

export function createSeen(keys = randomKeys()): Seen {
  let slots = 1 << 12;
  let phones = new Float64Array(slots);
  let lines = new Uint32Array(slots);
  let count = 0;

  return {
    firstSight(phone, line) {
      const number = Number(phone.slice(1));
      const slot = slotOf(phones, number, keys);
      if (phones[slot] === number) return lines[slot]!;
      phones[slot] = number;
      lines[slot] = line;
      if (++count * 4 > slots * 3) grow();
      return null;
    },
  };

  function grow() {
    const [oldPhones, oldLines] = [phones, lines];
    slots *= 2;
    phones = new Float64Array(slots);
    lines = new Uint32Array(slots);
    for (const [index, number] of oldPhones.entries()) {
      if (number === 0) continue;
      const slot = slotOf(phones, number, keys);
      phones[slot] = number;
      lines[slot] = oldLines[index]!;
    }
  }
}

/** The slot that holds the number, or a free one for it; no phone is 0. */
function slotOf(phones: Float64Array, number: number, keys: HashKeys): number {
  const mask = phones.length - 1;
  // Mix both halves of the number: phones of one file often differ only in their last digits.
  let hash = Math.imul(number % 0x7fffffff, keys.low) ^ Math.imul(Math.floor(number / 0x7fffffff), keys.high);
  hash ^= hash >>> 15;
  let slot = Math.imul(hash, 0x2c1b3c6d) >>> 0;
  slot = (slot ^ (slot >>> 13)) & mask;
  while (phones[slot] !== 0 && phones[slot] !== number) slot = (slot + 1) & mask;
  return slot;
}
