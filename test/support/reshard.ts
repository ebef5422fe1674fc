import { Redis } from 'ioredis';
import { slotOf } from '../../src/engine/redis/spread.ts';
import type { TestCluster } from './redis.ts';

/** Slots of a Cluster that move from one master to another while it is used, as `redis-cli --cluster reshard` moves them. */
export type Resharding = {
  /** The slots that have keys with this in their names, each with its master's place. */
  of(part: string): Promise<Map<number, number>>;
  /** Moves a slot; `midway` is awaited while the master that it leaves has one half of its keys, and the other the rest. */
  move(slot: number, to: number, midway?: () => Promise<unknown>): Promise<void>;
  /** How often the masters answered with an error of this name since they started. */
  errors(name: string): Promise<number>;
  close(): void;
};

export async function openResharding({ masters }: TestCluster): Promise<Resharding> {
  const clients = masters.map(({ url }) => new Redis(url));
  const ids = await Promise.all(clients.map((client) => client.cluster('MYID') as Promise<string>));
  const keysIn = (at: number, slot: number, most: number) =>
    clients[at]!.cluster('GETKEYSINSLOT', slot, most) as Promise<string[]>;
  const ownerOf = async (slot: number) => {
    const ranges = await clients[0]!.cluster('SLOTS');
    return ids.indexOf(ranges.find(([from, to]) => from <= slot && slot <= to)![2]![2]);
  };
  return {
    async of(part) {
      const found = new Map<number, number>();
      for (const [at, client] of clients.entries())
        for (const key of await client.keys(`*${part}*`)) found.set(slotOf(/\{(.+?)\}/.exec(key)![1]!), at);
      return found;
    },
    async move(slot, to, midway) {
      const from = await ownerOf(slot);
      const [source, target] = [clients[from]!, clients[to]!];
      const carry = async (keys: string[]) => {
        if (keys.length > 0)
          await source.call('MIGRATE', '127.0.0.1', masters[to]!.port, '', 0, 5_000, 'KEYS', ...keys);
      };
      await target.cluster('SETSLOT', slot, 'IMPORTING', ids[from]!);
      await source.cluster('SETSLOT', slot, 'MIGRATING', ids[to]!);
      if (midway) {
        const all = await keysIn(from, slot, 10_000);
        await carry(all.slice(0, Math.ceil(all.length / 2)));
        await midway();
      }
      for (;;) {
        const left = await keysIn(from, slot, 100);
        if (left.length === 0) break;
        await carry(left);
      }
      for (const client of [target, source, ...clients])
        await client.cluster('SETSLOT', slot, 'NODE', ids[to]!);
    },
    async errors(name) {
      const infos = await Promise.all(clients.map((client) => client.info('errorstats')));
      const counts = infos.map((info) => new RegExp(`errorstat_${name}:count=(\\d+)`).exec(info)?.[1] ?? 0);
      return counts.reduce<number>((sum, count) => sum + Number(count), 0);
    },
    close() {
      for (const client of clients) client.disconnect();
    },
  };
}
