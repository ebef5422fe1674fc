import type { Random } from '../../src/base/clock.ts';
import type { Weather } from './database.ts';
import type { BrokerWeather } from './engine.ts';
import type { Plan } from './plan.ts';
import type { ServiceWeather } from './service.ts';

/** Delays, losses and refusals over a schedule. At its end all is calm, and everything must finish. */
export type Skies = {
  ledger: Weather;
  broker: BrokerWeather;
  service: ServiceWeather;
  calm(): void;
  isCalm(): boolean;
  /** The queue is away until then. */
  takeQueue(until: number): void;
  /** The ledger fails every statement until then. */
  takeLedger(until: number): void;
};

const endings = ['completed', 'completed', 'busy', 'no-answer', 'voicemail', 'failed'] as const;

export function createSkies(plan: Plan, random: Random, now: () => number): Skies {
  const { odds } = plan;
  let calm = false;
  let queueAwayUntil = 0;
  let ledgerAwayUntil = 0;
  const chance = (odds: number) => odds > 0 && random() < odds;
  const whole = (least: number, most: number) => least + Math.floor(random() * (most - least + 1));
  const one = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)]!;
  const has = (kind: Parameters<Plan['kinds']['has']>[0]) => !calm && plan.kinds.has(kind);
  /** Mostly at once, now and then late. */
  const wayMs = (slow: boolean) => {
    const dice = random();
    if (dice < 0.75) return 0;
    if (dice < 0.97 || !slow) return whole(1, 40);
    return dice < 0.99 ? whole(100, 1_500) : whole(1_500, 8_000);
  };
  return {
    calm() {
      calm = true;
    },
    isCalm: () => calm,
    takeQueue(until) {
      queueAwayUntil = until;
    },
    takeLedger(until) {
      ledgerAwayUntil = until;
    },
    ledger: {
      reachMs: () => wayMs(has('slow')),
      backMs: () => (random() < 0.8 ? 0 : wayMs(has('slow'))),
      failure() {
        if (!has('ledger')) return null;
        if (now() < ledgerAwayUntil) return 'before';
        if (!chance(odds.statement)) return null;
        return chance(odds.answer) ? 'after' : 'before';
      },
    },
    broker: {
      losesJob: () => has('queue') && chance(0.08),
      doublesJob: () => has('queue') && chance(odds.double),
      secondMs: () => (chance(0.5) ? 0 : whole(1, odds.secondMs)),
      lateMs: () => (has('queue') && chance(odds.late) ? whole(10, odds.mostLateMs) : 0),
      isAway: () => has('queue') && now() < queueAwayUntil,
    },
    service: {
      create() {
        if (has('lies') && chance(0.15)) return one(['other-id', 'other-phone'] as const);
        return !calm && chance(plan.createOdds) ? one(plan.creates) : 'fine';
      },
      read: () => (!calm && chance(plan.readOdds) ? one(plan.reads) : 'fine'),
      call: () => ({ status: one(endings), lastsMs: whole(...plan.lasts) * 1_000 }),
      connectMs: () => (random() < 0.7 ? 0 : wayMs(has('slow'))),
      wayMs: () => (has('slow') && chance(0.1) ? whole(100, 1_000) : whole(1, 60)),
    },
  };
}
