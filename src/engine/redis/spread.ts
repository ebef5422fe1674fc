import { readFileSync } from 'node:fs';
import type { Cluster } from 'ioredis';
import { createScript } from './script.ts';

/**
 * Spreads lanes over the masters of a Cluster: the queues of a lane are in one slot, and the slots of lanes are evenly
 * spaced. Slots by chance would give one of three masters with thirty lanes a quarter more than its part.
 */
export type Spread = {
  /** The prefix of a queue's keys; the common one for a queue whose lane has not joined. */
  prefixOf(queue: string): string;
  /** Gives lanes their places, the same in every process. Returns those that had none before. */
  join(lanes: readonly string[]): Promise<string[]>;
};

const slots = 16_384;
/** Its multiples, less their whole parts, fill the range evenly however many there are. */
const golden = (Math.sqrt(5) - 1) / 2;
/** How far a tag's slot may lie from its target: one in 128 tags is near enough. */
const near = 64;

const text = readFileSync(new URL('./lanes.lua', import.meta.url), 'utf8');

export function createSpread(client: Cluster, common: string): Spread {
  const number = createScript(client, text);
  const prefixes = new Map<string, string>();
  return {
    // A queue's name begins with the lane's, which has one dot.
    prefixOf: (queue) => prefixes.get(queue.split('.', 2).join('.')) ?? common,
    async join(lanes) {
      const told = (await number([`${common}:lanes`], lanes)) as number[];
      for (const [at, lane] of lanes.entries()) prefixes.set(lane, prefixAt(common, told[at * 2]!));
      return lanes.filter((_, at) => told[at * 2 + 1] === 1);
    },
  };
}

function prefixAt(common: string, number: number): string {
  const wanted = Math.floor(((number * golden) % 1) * slots);
  const base = common.slice(1, -1);
  for (let salt = 0; ; salt++) {
    const tag = `${base}:${number}.${salt}`;
    if (Math.abs(slotOf(tag) - wanted) <= near) return `{${tag}}`;
  }
}

/** The slot of a hash tag, by the CRC that Redis defines: polynomial 0x1021, from 0. */
export function slotOf(tag: string): number {
  let crc = 0;
  for (const byte of Buffer.from(tag)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1;
    crc &= 0xffff;
  }
  return crc % slots;
}
