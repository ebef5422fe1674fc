import type { FaultRule } from '../../simulator/faults.ts';
import type { Dice } from './dice.ts';
import type { Plan } from './schedule.ts';

/** The faults of a round, and how the dice make one of a kind. */
export type Wire = 'ledger' | 'queue' | 'service';
export type WireFault = 'cut' | 'freeze' | 'reset' | 'slow' | 'deafen';

export type Fault =
  /** SIGKILL: at any moment, in the middle of a create, or between its answer and the write that records it. */
  | { kind: 'kill'; who: number; all: boolean; moment: 'any' | 'mid-create' | 'unwritten' }
  /** SIGSTOP, then SIGCONT. */
  | { kind: 'stop'; who: number; forMs: number }
  /** SIGSTOP with creates between commit and request; a person resolves them meanwhile, then SIGCONT. */
  | { kind: 'zombie'; who: number }
  | { kind: 'redis-kill'; downMs: number; from: 'nothing' | 'snapshot' }
  | { kind: 'redis-snapshot' }
  | { kind: 'redis-flush' }
  /** One that is a master now; it comes back empty, as a replica if its own has its place by then. */
  | { kind: 'master-kill'; who: number; downMs: number }
  | { kind: 'ledger-kill'; downMs: number }
  | { kind: 'wire'; wire: Wire; how: WireFault; forMs: number }
  /** Existing connections to the ledger go silent for good; new ones work. Noticed only after a while. */
  | { kind: 'hush'; forMs: number }
  | { kind: 'answers'; rules: FaultRule[]; forMs: number }
  | { kind: 'limit'; share: number; forMs: number }
  | { kind: 'concurrency'; most: number; forMs: number }
  | { kind: 'credits'; left: number; forMs: number }
  | { kind: 'revoke'; key: number; forMs: number }
  | { kind: 'pause'; forMs: number }
  | { kind: 'cancel' }
  | { kind: 'suppress'; from: number; share: number }
  /** A person resolves unknown attempts from the service's list of calls. */
  | { kind: 'person'; most: number }
  /** The wall clock of a process is set wrong, and right again. */
  | { kind: 'clock'; who: number; offSeconds: number; forMs: number }
  /** The disk of CARILLON_HOME is full; `away`: and the ledger is gone for a part of that. */
  | { kind: 'disk-full'; away: boolean; forMs: number }
  /** Two processes that cannot see each other start on one data directory. */
  | { kind: 'twins' }
  /**
   * The ledger is put back to a backup of so long ago, under processes that live or are killed with it (`all`); a person
   * confirms with or without `--lost-since`.
   */
  | { kind: 'lost'; forMs: number; all: boolean; since: boolean }
  /** A second run of the same name, or an interrupt of the first one. */
  | { kind: 'rerun'; how: 'second' | 'interrupt' };

type OtherKind = Exclude<
  Fault['kind'],
  'kill' | 'cancel' | 'clock' | 'disk-full' | 'twins' | 'lost' | 'master-kill'
>;

export function makeFault(
  dice: Dice,
  plan: Pick<Plan, 'engine' | 'keys'>,
  kind: OtherKind | 'absurd',
): Fault {
  const short = () => Math.round(dice.between(300, 2_000));
  switch (kind) {
    case 'stop':
      return { kind, who: dice.roll(), forMs: Math.round(dice.between(500, 7_000)) };
    case 'zombie':
      return { kind, who: dice.roll() };
    case 'redis-kill':
      return { kind, downMs: short(), from: dice.pick(['nothing', 'snapshot'] as const) };
    case 'ledger-kill':
      return { kind, downMs: short() };
    case 'wire': {
      const wires: Wire[] = plan.engine === 'redis' ? ['ledger', 'queue', 'service'] : ['ledger', 'service'];
      const how = dice.pick(['cut', 'freeze', 'reset', 'slow', 'deafen'] as const);
      return { kind, wire: dice.pick(wires), how, forMs: short() };
    }
    case 'hush':
      return { kind, forMs: Math.round(dice.between(12_000, 17_000)) };
    case 'answers':
      return { kind, rules: makeRules(dice), forMs: short() };
    // The service is absurd for a while: in every field of everything that it answers.
    case 'absurd':
      return { kind: 'answers', rules: [{ kind: 'absurd', on: 'all' }], forMs: 20_000 };
    case 'limit':
      return { kind, share: dice.between(0.2, 0.8), forMs: short() };
    case 'concurrency':
      return { kind, most: dice.whole(1, 20), forMs: short() };
    case 'credits':
      return { kind, left: dice.whole(0, 20), forMs: short() };
    case 'revoke':
      return { kind, key: dice.whole(0, plan.keys - 1), forMs: short() };
    case 'pause':
      return { kind, forMs: short() };
    case 'suppress':
      return { kind, from: dice.roll(), share: dice.between(0.002, 0.02) };
    case 'person':
      return { kind, most: 5 };
    case 'rerun':
      return { kind, how: dice.pick(['second', 'interrupt'] as const) };
    case 'redis-snapshot':
    case 'redis-flush':
      return { kind };
  }
}

function makeRules(dice: Dice): FaultRule[] {
  const probability = dice.between(0.02, 0.3);
  const rules: FaultRule[] = [
    { kind: 'error', when: 'before', probability },
    { kind: 'error', when: 'after', probability },
    { kind: 'reset', when: 'before', probability },
    { kind: 'reset', when: 'after', probability },
    { kind: 'hang', when: dice.pick(['before', 'after'] as const), probability: probability / 4 },
    { kind: 'html', when: dice.pick(['before', 'after'] as const), probability },
    { kind: 'redirect', when: 'before', probability },
    { kind: 'broken-json', probability },
    { kind: 'cut', probability },
    { kind: 'slow', probability, ms: 1_000 },
    { kind: 'error', on: 'get', probability },
    { kind: 'html', on: 'get', probability },
    { kind: 'broken-json', on: 'get', probability },
    { kind: 'error', status: 429, on: 'all', probability },
    { kind: 'other-phone', probability },
    { kind: 'same-id', probability },
    { kind: 'other-phone', on: 'get', probability },
    { kind: 'other-id', on: 'get', probability },
    { kind: 'odd-status', on: 'get', probability },
  ];
  const first = dice.pick(rules);
  return dice.is(0.3) ? [first, dice.pick(rules)] : [first];
}
