/** Faults on purpose: which requests are struck, and how. `strike.ts` writes the answers. */
import { createStream } from './random.ts';

export const faultKinds = [
  'error',
  'reset',
  'hang',
  'html',
  'redirect',
  'broken-json',
  'cut',
  'slow',
  'revoke',
  'odd-status',
  'absurd',
  'other-id',
  'other-phone',
  'same-id',
  'undialled',
  'endless',
  'late-transcript',
  'late-record',
] as const;
export type FaultKind = (typeof faultKinds)[number];

export const operations = ['create', 'get', 'update', 'list', 'calls'] as const;
export type Operation = (typeof operations)[number];

export type FaultRule = {
  kind: FaultKind;
  /** Which requests it looks at (default: `create`). */
  on?: Operation | 'all';
  /** Strikes each request with this chance; every one if `probability`, `next` and `at` are left out. */
  probability?: number;
  /** Strikes this many of the requests that it looks at, then no more. */
  next?: number;
  /** Strikes these of the requests that it looks at, counted from 1. */
  at?: readonly number[];
  /** Looks only at calls to phones that end in these digits. */
  phone?: string;
  /** Whether the request is carried out before it is struck. */
  when?: 'before' | 'after';
  /** The status of `error` (500), `html` (502) and `redirect` (307). */
  status?: number;
  /** `hang`: answers after this time (default: never). `slow`: how long the body takes (2000).
   * `late-transcript`: how long after the end, in simulated time (30000). */
  ms?: number;
};

/** These mark the call that a create makes and do not touch the answer. */
const marks = ['endless', 'late-transcript', 'late-record'] as const;
type Mark = (typeof marks)[number];
export const isMark = (kind: FaultKind): kind is Mark => marks.some((mark) => mark === kind);

/** A rule with every default filled in. */
export type Strike = {
  kind: Exclude<FaultKind, Mark>;
  after: boolean;
  status: number;
  ms: number | undefined;
};

/** The traits that a fault leaves on the call of a struck create. */
export type Traits = {
  endless: boolean;
  /** How long until transcript, recording and data are in the record, and until the cost is. */
  lateMs: number;
  lateCostMs: number;
};

export type Faults = {
  set(rules: readonly FaultRule[]): void;
  add(rules: readonly FaultRule[]): void;
  /** The first rule that strikes this request wins. Later rules do not see it. */
  strike(operation: Operation, phone: string | null): Strike | undefined;
  traits(phone: string): Traits;
  state(): (FaultRule & { seen: number; struck: number })[];
};

const carriedOut: readonly FaultKind[] = [
  'reset',
  'hang',
  'broken-json',
  'cut',
  'slow',
  'odd-status',
  'absurd',
  'other-id',
  'other-phone',
  'same-id',
];
const statuses: Partial<Record<FaultKind, number>> = { error: 500, html: 502, redirect: 307 };

export function createFaults(seed: number, rules: readonly FaultRule[]): Faults {
  type Watched = { rule: FaultRule; seen: number; struck: number; chance: () => number };
  let watched: Watched[] = [];
  const watch = (rule: FaultRule, index: number): Watched => ({
    rule,
    seen: 0,
    struck: 0,
    chance: createStream(seed, 'fault', index, rule.kind),
  });
  const strikes = (one: Watched, operation: Operation, phone: string | null): boolean => {
    const { rule } = one;
    const on = rule.on ?? 'create';
    if (on !== 'all' && on !== operation) return false;
    if (rule.phone !== undefined && !phone?.endsWith(rule.phone)) return false;
    one.seen += 1;
    const hit =
      rule.next !== undefined
        ? one.seen <= rule.next
        : rule.at !== undefined
          ? rule.at.includes(one.seen)
          : rule.probability === undefined || one.chance() < rule.probability;
    if (hit) one.struck += 1;
    return hit;
  };
  const add = (more: readonly FaultRule[]) => {
    watched = [...watched, ...more.map((rule, i) => watch(rule, watched.length + i))];
  };
  add(rules);
  return {
    set(next) {
      watched = [];
      add(next);
    },
    add,
    strike(operation, phone) {
      for (const one of watched) {
        const { kind, when, status, ms } = one.rule;
        if (isMark(kind) || !strikes(one, operation, phone)) continue;
        return {
          kind,
          after: when ? when === 'after' : carriedOut.includes(kind),
          status: status ?? statuses[kind] ?? 500,
          ms: ms ?? (kind === 'slow' ? 2000 : undefined),
        };
      }
      return undefined;
    },
    traits(phone) {
      const traits: Traits = { endless: false, lateMs: 0, lateCostMs: 0 };
      for (const one of watched) {
        if (!isMark(one.rule.kind) || !strikes(one, 'create', phone)) continue;
        const ms = one.rule.ms ?? 30_000;
        if (one.rule.kind === 'endless') traits.endless = true;
        else traits.lateMs = ms;
        if (one.rule.kind === 'late-record') traits.lateCostMs = ms;
      }
      return traits;
    },
    state: () => watched.map(({ rule, seen, struck }) => ({ ...rule, seen, struck })),
  };
}

/** Reads a rule from one word of a command line: `kind[@operation][:name=value,...]`, for example
 * `error@create:when=after,p=0.05`. Names are those of the rule, with `p` for probability; `at=1+4+9`. */
export function parseFault(text: string): unknown {
  const [head = '', ...rest] = text.split(':');
  const [kind, on] = head.split('@');
  const rule: Record<string, unknown> = on === undefined ? { kind } : { kind, on };
  for (const part of rest.join(':').split(',')) {
    if (!part) continue;
    const [name = '', value = ''] = part.split('=');
    if (name === 'at') rule.at = value.split('+').map(Number);
    else if (name === 'when' || name === 'phone') rule[name] = value;
    else rule[name === 'p' ? 'probability' : name] = value === '' ? value : Number(value);
  }
  return rule;
}
