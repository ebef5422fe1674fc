/** What the simulated service can be told, and what it does when it is told nothing. */
import { defaultShares, type Fate, type Shares } from './fates.ts';
import type { FaultRule } from './faults.ts';
import type { LimiterKind } from './limits.ts';

export const liveStatuses = ['queued', 'ringing', 'in-progress'] as const;
export const endedStatuses = ['completed', 'no-answer', 'voicemail', 'busy', 'failed', 'canceled'] as const;
export type CallStatus = (typeof liveStatuses)[number] | (typeof endedStatuses)[number];

export type NumberOption = string | Readonly<{ id: string; phone_number: string; label?: string }>;
export type FateChoice = Fate | readonly Fate[];

export type Settings = {
  host: string;
  /** 0 takes any free port. */
  port: number;
  /** How long an idle connection is kept; 0 for ever. Short, it races against clients that reuse theirs. */
  keepAliveMs: number;
  /** The secrets that are accepted, or `any` that is not empty. */
  keys: 'any' | readonly string[];
  /** The agents that exist; with `any`, all but `unknownAgents`. */
  agents: 'any' | readonly string[];
  unknownAgents: readonly string[];
  /** The organization's phone numbers. A bare number gets the id `number-<position>`. */
  numbers: readonly NumberOption[];

  /** Requests a second per key, all operations together; null for no limit. */
  rate: number | null;
  limiter: LimiterKind;
  /** What a token bucket holds; null for one second's worth. */
  burst: number | null;
  /** What `fixed` and `sliding` count over: rate 5 and 60000 are 300 requests a minute. */
  windowMs: number;
  retryAfter: 'none' | 'seconds' | 'date';
  /** Calls at once per key; null for no cap. Beyond it creates get 429 while everything else passes. */
  concurrency: number | null;
  /** What the organization has, shared by its keys; null for no end. */
  credits: number | null;
  creditUnit: 'calls' | 'money';
  pricePerMinute: number;
  /** Whether a started minute or a started second is charged. */
  billing: 'minute' | 'second';

  seed: number;
  /** How fast time runs inside calls: 60 makes a minute pass in a second. Limits keep the wall's time. */
  speed: number;
  /** Every answer waits so long (ms), or so long within a range. */
  latencyMs: number | readonly [number, number];
  /** Relative weights of the fates; those left out never happen. */
  shares: Shares;
  /** Fates by phone; a list is for the first, second, ... call. */
  phones: Readonly<Record<string, FateChoice>>;
  /** Fates by a phone's last digits; the longest ending that fits wins. */
  endings: Readonly<Record<string, FateChoice>>;
  /** Phones that the service will not call: a create for one of them is not valid. */
  refused: readonly string[];
  faults: readonly FaultRule[];

  /** Refuse what the interface does not name: extra fields, and null for what is optional. */
  strict: boolean;
  /** The names that the interface leaves open. `variables` allows one more object inside the customer. */
  customer: Readonly<{ field: string; phone: string; name: string; variables: string | null }>;
  override: string;
  /** Other words for the statuses, for example `{completed: 'ended'}`. */
  statuses: Readonly<Partial<Record<CallStatus, string>>>;
  createStatus: 200 | 201;

  /** How many requests the journal keeps in memory at least; the oldest go first. */
  journalLimit: number;
  /** A file that every answered request is appended to as well. */
  journalFile: string | null;
};

export type SimulatorOptions = Partial<Omit<Settings, 'customer'>> & {
  customer?: Partial<Settings['customer']>;
};

export const defaultOptions: Settings = {
  host: '127.0.0.1',
  port: 0,
  keepAliveMs: 5000,
  keys: 'any',
  agents: 'any',
  unknownAgents: ['agent-unknown'],
  numbers: ['+14155550100', '+14155550101', '+12125550102', '+13125550103', '+442079460104'],
  rate: 20,
  limiter: 'token',
  burst: null,
  windowMs: 1000,
  retryAfter: 'none',
  concurrency: null,
  credits: null,
  creditUnit: 'calls',
  pricePerMinute: 0.08,
  billing: 'minute',
  seed: 1,
  speed: 1,
  latencyMs: 0,
  shares: defaultShares,
  phones: {},
  endings: {},
  refused: [],
  faults: [],
  strict: true,
  customer: { field: 'customer', phone: 'phone_number', name: 'name', variables: null },
  override: 'agent_overrides',
  statuses: {},
  createStatus: 201,
  journalLimit: 1_000_000,
  journalFile: null,
};
