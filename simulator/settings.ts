/** The simulated service's settings and their defaults. */
import { defaultShares, type Fate, type Shares } from './fates.ts';
import type { FaultRule } from './faults.ts';
import type { LimiterKind } from './limits.ts';

export const liveStatuses = ['queued', 'ringing', 'in-progress'] as const;
export const endedStatuses = ['completed', 'no-answer', 'voicemail', 'busy', 'failed', 'canceled'] as const;
export type CallStatus = (typeof liveStatuses)[number] | (typeof endedStatuses)[number];

export type NumberOption = string | Readonly<{ id: string; phone_number: string; label?: string }>;
export type FateChoice = Fate | readonly Fate[];

export const retryAfterForms = ['none', 'seconds', 'date'] as const;

/** The interfaces that the simulator speaks; `standard` is the documented one. */
export const serviceNames = [
  'standard',
  'vapi',
  'retell',
  'elevenlabs',
  'bolna',
  'synthflow',
  'bland',
  'ultravox',
  'dograh',
] as const;
export type ServiceName = (typeof serviceNames)[number];

/** Services that have a successful answer with which nobody is dialled. */
export const undialledBy: readonly ServiceName[] = ['elevenlabs', 'bland'];

/** A call that a service accepted without room for it ends, or rings when there is room. */
export const blockedForms = ['ends', 'rings'] as const;
/** A service with two ways to refuse does so in its answer, or on the record of a call that it accepted. */
export const refuseForms = ['answer', 'record'] as const;

export type Settings = {
  service: ServiceName;
  host: string;
  /** 0 takes any free port. */
  port: number;
  /** How long an idle connection is kept; 0 for ever. A short time races with clients that reuse connections. */
  keepAliveMs: number;
  /** The accepted secrets, or `any` for every non-empty one. */
  keys: 'any' | readonly string[];
  /** The agents that exist; `any` means all except `unknownAgents`. */
  agents: 'any' | readonly string[];
  unknownAgents: readonly string[];
  /** The organization's phone numbers. A bare number gets the id `number-<position>`. */
  numbers: readonly NumberOption[];

  /** Requests a second per key, all operations together; null for no limit. */
  rate: number | null;
  limiter: LimiterKind;
  /** The size of a token bucket; null for one second's worth. */
  burst: number | null;
  /** The window of `fixed` and `sliding`: rate 5 and 60000 allow 300 requests a minute. */
  windowMs: number;
  retryAfter: (typeof retryAfterForms)[number];
  /** Calls at once per key; null for no cap. Beyond it creates get 429; everything else passes. */
  concurrency: number | null;
  /** Calls that came in and are in progress: they count among the calls at once. */
  inbound: number;
  /** The organization's credit, shared by its keys; null for unlimited. */
  credits: number | null;
  creditUnit: 'calls' | 'money';
  pricePerMinute: number;
  /** Whether talk is rounded up to minutes or to seconds. */
  billing: 'minute' | 'second';

  seed: number;
  /** How fast time runs inside calls: 60 makes a minute pass in a second. Limits keep wall-clock time. */
  speed: number;
  /** How long every answer waits (ms), or a range to draw from. */
  latencyMs: number | readonly [number, number];
  /** Relative weights of the fates. A fate that is left out never happens. */
  shares: Shares;
  /** Fates by phone; a list is for the first, second, ... call. */
  phones: Readonly<Record<string, FateChoice>>;
  /** Fates by a phone's last digits; the longest match wins. */
  endings: Readonly<Record<string, FateChoice>>;
  /**
   * Of those who would answer, the share that does when called from a number, named as the create names it: what a number
   * that is marked as spam loses.
   */
  trusted: Readonly<Record<string, number>>;
  /** Phones that the service will not call: a create for one of them is invalid. */
  refused: readonly string[];
  faults: readonly FaultRule[];
  /** In this share of conversations, the person asks to be called back so long after the call (ms, wall-clock time). */
  callbacks: Readonly<{ share: number; afterMs: number }> | null;
  /** How long a new call is missing from the list of calls (ms, wall-clock time). */
  listLagMs: number;
  /**
   * How long a create's `Idempotency-Key` is held (ms, wall-clock time): a repeat makes no other call. Null for a
   * service without keys; 0 for one that takes them, and makes two calls under one.
   */
  idempotencyMs: number | null;
  blocked: (typeof blockedForms)[number];
  refuseBy: (typeof refuseForms)[number];

  /** Refuse what the interface does not name: extra fields, and null for optional ones. */
  strict: boolean;
  /** The names that the interface leaves open. `variables` allows one more object inside the customer. */
  customer: Readonly<{ field: string; phone: string; name: string; variables: string | null }>;
  override: string;
  /** Other words for the statuses, for example `{completed: 'ended'}`. */
  statuses: Readonly<Partial<Record<CallStatus, string>>>;
  createStatus: 200 | 201;

  /** How many requests the journal keeps in memory at least. The oldest are dropped first. */
  journalLimit: number;
  /** A file to which every answered request is appended too. */
  journalFile: string | null;
};

export type SimulatorOptions = Partial<Omit<Settings, 'customer'>> & {
  customer?: Partial<Settings['customer']>;
};

export const defaultOptions: Settings = {
  service: 'standard',
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
  inbound: 0,
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
  trusted: {},
  refused: [],
  faults: [],
  callbacks: null,
  listLagMs: 0,
  idempotencyMs: null,
  blocked: 'ends',
  refuseBy: 'answer',
  strict: true,
  customer: { field: 'customer', phone: 'phone_number', name: 'name', variables: null },
  override: 'agent_overrides',
  statuses: {},
  createStatus: 201,
  journalLimit: 1_000_000,
  journalFile: null,
};
