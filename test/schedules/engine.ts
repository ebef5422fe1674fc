import { DelayedError, RateLimitError } from 'bullmq';
import type { Clock } from '../../src/base/clock.ts';
import { CarillonError } from '../../src/base/errors.ts';
import type { Bucket } from '../../src/engine/bucket.ts';
import type { Engine, EngineQueue, EngineWorker, Processor } from '../../src/engine/contract.ts';
import { createSimBucket } from './bucket.ts';
import type { Owner, World } from './world.ts';

/**
 * The queue in memory, with what the engine's contract allows: a job comes at least once or never, late, and again when
 * its worker died; all of it may be gone. Processes share one broker, and each has an engine of its own to it.
 */
type Job = {
  id: string;
  data: { attemptId: string };
  dueAt: number;
  madeAt: number;
  /** Which delivery of it is in hand; 0 is none. */
  held: number;
  heldBy: Owner | null;
};
type SimQueue = { name: string; jobs: Map<string, Job>; restUntil: number; workers: Set<SimWorker> };
type SimWorker = {
  owner: Owner;
  process: Processor<{ attemptId: string }>;
  room(): number;
  aheadMs(): number;
  busy: number;
  tellFailed(): void;
};

export type BrokerWeather = {
  /** Whether a job that is added gets lost. */
  losesJob(): boolean;
  /** Whether a job that is delivered is delivered a second time, and how much later. */
  doublesJob(): boolean;
  secondMs(): number;
  /** How much later than due it comes. */
  lateMs(): number;
  isAway(): boolean;
};

export type Broker = ReturnType<typeof createBroker>;

const lockMs = 10_000;
const lookAgainMs = 400;

export function createBroker(world: World, weather: BrokerWeather) {
  const queues = new Map<string, SimQueue>();
  const bucket = createSimBucket(world.now, weather.isAway);
  let deliveries = 0;

  const of = (name: string): SimQueue => {
    const found = queues.get(name) ?? { name, jobs: new Map(), restUntil: 0, workers: new Set() };
    queues.set(name, found);
    return found;
  };
  const away = () => {
    if (weather.isAway()) throw new CarillonError('queue-unreachable', 'the queue is away');
  };

  const schedule = (queue: SimQueue, job: Job, lateMs = 0) => {
    world.at(Math.max(job.dueAt, queue.restUntil) + lateMs, null, 'timer', () => deliver(queue, job));
  };

  const deliver = (queue: SimQueue, job: Job) => {
    const now = world.now();
    if (queue.jobs.get(job.id) !== job || job.held > 0) return;
    // It was put off meanwhile, or the queue rests.
    if (Math.max(job.dueAt, queue.restUntil) > now) return schedule(queue, job);
    const free = [...queue.workers].filter((each) => each.owner.alive && each.busy < each.room());
    const worker = free[Math.floor(world.random() * free.length)];
    if (!worker) {
      world.at(now + lookAgainMs, null, 'timer', () => deliver(queue, job));
      return;
    }
    hand(queue, job, worker);
    if (weather.doublesJob()) {
      const other = free[Math.floor(world.random() * free.length)]!;
      world.at(now + weather.secondMs(), other.owner, 'timer', () => {
        if (queue.jobs.get(job.id) === job) hand(queue, job, other);
      });
    }
  };

  const hand = (queue: SimQueue, job: Job, worker: SimWorker) => {
    deliveries += 1;
    const delivery = deliveries;
    job.held = delivery;
    job.heldBy = worker.owner;
    worker.busy += 1;
    world.at(world.now(), worker.owner, `job of ${queue.name}`, () => work(queue, job, worker, delivery));
    watch(queue, job, delivery);
  };

  /** A job whose worker died, or was suspended for longer than its lock, is given up. */
  const watch = (queue: SimQueue, job: Job, delivery: number) => {
    world.at(world.now() + lockMs, null, 'timer', () => {
      if (job.held !== delivery || queue.jobs.get(job.id) !== job) return;
      if (job.heldBy && world.isAwake(job.heldBy)) return watch(queue, job, delivery);
      queue.jobs.delete(job.id);
      const living = [...queue.workers].filter((each) => world.isAwake(each.owner));
      living[Math.floor(world.random() * living.length)]?.tellFailed();
    });
  };

  /** Runs a job, and does with it what its signal says. */
  const work = (queue: SimQueue, job: Job, worker: SimWorker, delivery: number) => {
    const mine = () => job.held === delivery && queue.jobs.get(job.id) === job;
    let until: number | null = null;
    const handle = {
      id: job.id,
      data: job.data,
      timestamp: job.madeAt,
      async moveToDelayed(at: number) {
        away();
        until = at - worker.aheadMs();
      },
    };
    const over = (error?: unknown) => {
      worker.busy -= 1;
      if (!mine()) return;
      job.held = 0;
      job.heldBy = null;
      if (error instanceof DelayedError && until !== null) job.dueAt = until;
      else if (error instanceof RateLimitError) job.dueAt = world.now();
      else {
        queue.jobs.delete(job.id);
        return;
      }
      schedule(queue, job);
    };
    worker.process(handle as never, 'token').then(() => over(), over);
  };

  const add = (
    queue: SimQueue,
    entry: { data: { attemptId: string }; opts: { jobId: string; timestamp: number; delay?: number } },
  ) => {
    const { jobId: id, timestamp: madeAt, delay = 0 } = entry.opts;
    if (queue.jobs.has(id) || weather.losesJob()) return;
    const dueAt = delay > 0 ? madeAt + delay : world.now();
    const job: Job = { id, data: entry.data, dueAt, madeAt, held: 0, heldBy: null };
    queue.jobs.set(id, job);
    schedule(queue, job, weather.lateMs());
  };

  const newQueue = (name: string) => {
    const queue = of(name);
    return {
      name,
      async addBulk(entries: never[]) {
        away();
        for (const entry of entries) add(queue, entry);
      },
      async getJob(id: string) {
        away();
        const job = queue.jobs.get(id);
        if (!job) return undefined;
        const move = (at: number) => {
          if (job.held > 0 || job.dueAt <= world.now()) throw new Error('the job is not delayed');
          job.dueAt = at;
          schedule(queue, job);
        };
        return {
          isDelayed: async () => job.held === 0 && job.dueAt > world.now(),
          changeDelay: async (ms: number) => move(world.now() + ms),
          promote: async () => move(world.now()),
        };
      },
      async obliterate() {
        away();
        queue.jobs.clear();
      },
      async rateLimit(ms: number) {
        away();
        queue.restUntil = Math.max(queue.restUntil, world.now() + ms);
      },
      close: async () => undefined,
    };
  };

  return {
    /** Everything is gone, tokens and jobs. */
    flush() {
      for (const queue of queues.values()) queue.jobs.clear();
      bucket.flush();
    },
    jobs: () => [...queues.values()].reduce((total, queue) => total + queue.jobs.size, 0),
    /** The engine of one process, whose clock may be wrong. */
    engineOf(owner: Owner, clock: Pick<Clock, 'now'>, aheadMs: () => number): Engine {
      return {
        kind: 'postgres',
        name: 'engine',
        bucket: bucket as Bucket,
        now: () => clock.now() - aheadMs(),
        newQueue: (name: string) => newQueue(name) as unknown as EngineQueue<never>,
        newWorker(name: string, process: unknown, settings: { concurrency: number }) {
          const failed: (() => void)[] = [];
          const shown = {
            concurrency: settings.concurrency,
            on(event: string, tell: () => void) {
              if (event === 'failed') failed.push(tell);
            },
            pause: async () => {
              paused = true;
            },
            resume: async () => {
              paused = false;
            },
            close: async () => undefined,
          };
          let paused = false;
          of(name).workers.add({
            owner,
            aheadMs,
            process: process as SimWorker['process'],
            room: () => (paused ? 0 : shown.concurrency),
            busy: 0,
            tellFailed() {
              world.at(world.now(), owner, 'a job was lost', () => {
                for (const tell of failed) tell();
              });
            },
          });
          return shown as unknown as EngineWorker<never>;
        },
        ping: async () => undefined,
        findings: async () => [],
        close: async () => undefined,
      } as unknown as Engine;
    },
  };
}
