import type { Clock } from './base/clock.ts';
import type { ApiKey } from './base/config/keys.ts';
import { accountOf, maxCallsOf, rateOf } from './base/config/of-key.ts';
import type { Stoppable } from './base/lifecycle.ts';
import type { Meters } from './base/metrics/meters.ts';
import type { RequestKind } from './base/metrics/samples.ts';
import { quoteWord } from './base/terminal-safe.ts';
import type { Engine } from './engine/engine.ts';
import { createLane, type Lane } from './lane/lane.ts';
import { createSharedBudget } from './lane/shared-budget.ts';
import type { LedgerOnly } from './ledger-only.ts';
import { accountName, bucketName } from './queues/job.ts';
import type { Operation } from './voice/client.ts';
import { createClientOf } from './voice/clients.ts';

/** The lanes of a process. Keys that come, go or change while it runs change both lists in place. */
type OpenLanes = Stoppable & {
  /** One for each key that it has. */
  lanes: readonly Lane[];
  /** These lanes, and those of removed keys whose calls have not ended. */
  followed: readonly Lane[];
};

type LanesDeps = Pick<LedgerOnly, 'config' | 'described' | 'ledger' | 'keyRing' | 'log'> & {
  baseUrl: string;
  engine: Pick<Engine, 'bucket' | 'join'>;
  meters: Meters;
  clock: Clock;
};

/** How often it checks whether the calls of a removed key are over. */
const leaveMs = 5_000;

export async function openLanes(deps: LanesDeps): Promise<OpenLanes> {
  const { ledger, engine, keyRing, clock, log } = deps;
  const makeLane = laneMaker(deps);
  const lanes: Lane[] = [];
  const followed: Lane[] = [];
  const stopped = new AbortController();
  let leaving: Promise<void> | null = null;

  const join = async (keys: readonly ApiKey[]) => {
    if (keys.length === 0) return;
    const names = keys.map(({ name }) => name);
    const rows = await ledger.lanes.join(names, deps.described.description.limits?.call_cost);
    await engine.join(names.map((name) => bucketName(deps.baseUrl, name)));
    const made = keys.map((key) => makeLane(key, rows.find(({ name }) => name === key.name)!));
    await Promise.all(made.map((lane) => lane.governor.refresh()));
    lanes.push(...made);
    followed.push(...made);
  };

  /** A removed key makes no more calls, and stays until the calls it made are over. */
  const leave = async () => {
    while (!stopped.signal.aborted && followed.some((lane) => lane.leaving)) {
      await clock.sleep(leaveMs, stopped.signal);
      const loads = await ledger.lanes.loads().catch(() => null);
      if (loads === null) continue;
      for (const lane of followed.filter((each) => each.leaving)) {
        if (loads.some(({ laneId }) => laneId === lane.id)) continue;
        followed.splice(followed.indexOf(lane), 1);
        await lane.client.close();
        log.info({ key: lane.name }, 'a key that was removed has finished its calls');
      }
    }
    leaving = null;
  };

  const change = async () => {
    const keys = keyRing.keys();
    for (const lane of lanes.filter(({ name }) => !keys.some((key) => key.name === name))) {
      lane.leaving = true;
      // Creates that wait for their tokens go back to the queue, and from there to other keys.
      lane.pacer.full();
      lanes.splice(lanes.indexOf(lane), 1);
    }
    for (const { name, secret } of keys) {
      const known = followed.find((lane) => lane.name === name);
      if (!known) continue;
      if (known.leaving) lanes.push(known);
      known.leaving = false;
      if (known.client.rekey(secret) && known.state === 'denied')
        log.warn(
          `The key ${name} has another secret: \`carillon keys resume ${quoteWord(name)}\` opens it again.`,
        );
    }
    await join(keys.filter(({ name }) => !followed.some((lane) => lane.name === name)));
    leaving ??= leave();
  };

  await join(keyRing.keys());
  let changing: Promise<unknown> = Promise.resolve();
  keyRing.onChange(() => {
    changing = changing.then(change).catch((error: Error) => {
      log.error({ err: error.message }, 'the keys that were read again could not be taken');
    });
  });
  return {
    name: 'lanes',
    lanes,
    followed,
    async close() {
      stopped.abort();
      await changing;
      await leaving;
      await Promise.all(followed.map((lane) => lane.client.close()));
    },
  };
}

function laneMaker({ config, described, ledger, engine, meters, baseUrl, clock, log }: LanesDeps) {
  const { bucket } = engine;
  const { description } = described;
  const { calls = null, requests_per_second: perSecond = null } = description.limits ?? {};
  const budgets = config.voice.accounts.map((keys) => {
    const name = accountName(baseUrl, keys);
    return { keys, budget: createSharedBudget({ published: perSecond, bucket, name, keys, clock }) };
  });
  const onAnswer = (key: string, operation: Operation, status: number | null) => {
    meters.samples.request(key, kindOf[operation]);
    meters.requests.inc({
      key,
      operation,
      status: status === null ? 'none' : `${Math.floor(status / 100)}xx`,
    });
  };
  return (key: ApiKey, row: Parameters<typeof createLane>[0]['row']): Lane => {
    const { name } = key;
    const rate = rateOf(config, name);
    const own = maxCallsOf(config, name);
    const account = accountOf(config, name);
    return createLane({
      row,
      client: createClientOf(key, config, description, clock, onAnswer, (field, what) =>
        log.warn({ key: name, field, what }, 'the service gave a value that cannot be: it counts as absent'),
      ),
      tokens: bucket,
      bucket: bucketName(baseUrl, name),
      rate: rate === 'auto' ? null : rate,
      burst: config.voice.burst,
      calls: own,
      // The owner knows the account better than what is published for everyone.
      published: { calls: own === null ? calls : null, rate: perSecond },
      keepsBeat: config.voice.pollSeconds !== null,
      seat: budgets.find(({ keys }) => keys === account)?.budget.seat(name),
      inFlight: () => ledger.lanes.inFlight(row.id),
      inAccount: account
        ? async () => {
            const rows = await ledger.lanes.list();
            return sumOf(rows.filter((each) => account.includes(each.name)).map(({ calling }) => calling));
          }
        : undefined,
      onUncounted(why) {
        log.warn({ key: name, why }, 'the service did not tell how many calls are in progress');
      },
      onRefused(cause) {
        meters.samples.refused(name, cause);
        meters.refusals.inc({ key: name, cause });
      },
      // Polls come before creates, so while calls are followed it may be polls alone that meet the absence.
      onAway(restMs, why) {
        log.warn({ key: name, restMs, why }, 'the service cannot be reached: the lane rests');
      },
      clock,
      random: Math.random,
    });
  };
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, n) => sum + n, 0);
}

/** The kind of request in a key's series. */
const kindOf: Readonly<Record<Operation, RequestKind>> = {
  create: 'create',
  read: 'poll',
  list: 'poll',
  update: 'update',
  numbers: 'numbers',
  agents: 'numbers',
};
