import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Evidence } from './evidence.ts';
import type { Plan } from './schedule.ts';

/**
 * How often each fault bit: what the processes' own logs, the ledger and the harness say of it. One that nobody noticed
 * may not have happened. Each has its line, with 0 where it was played and bit nobody.
 */
export type Bites = Record<string, number>;

type Bite = {
  what: string;
  /** Whether the round plays it; left out: every round. */
  isPlayed?: (plan: Plan) => boolean;
  /** Lines in the processes' logs. */
  sign?: RegExp;
  /** Only of processes with such settings. */
  of?: (settings: Readonly<Record<string, string>>) => boolean;
  count?: (evidence: Pick<Evidence, 'moves' | 'attempts' | 'losses'>, faults: Readonly<Bites>) => number;
};

const plays = (name: string) => (plan: Plan) => (plan.extras.names as readonly string[]).includes(name);
/** This setting of the processes that dial: a run's campaign is dialled by one, and those with wrong clocks do not dial. */
const having = ({ mode, extras, workers }: Plan, name: string) =>
  extras.settings
    .slice(0, mode === 'run' ? 1 : workers)
    .flatMap((settings, place) => (extras.clocks[place] ? [] : (settings[name] ?? [])));
const differs = (name: string) => (plan: Plan) => having(plan, name).length > 0;
const sumOf = (faults: Readonly<Bites>, form: RegExp) =>
  Object.entries(faults).reduce((sum, [name, n]) => (form.test(name) ? sum + n : sum), 0);

const list: readonly Bite[] = [
  {
    what: 'clocks: a process must not dial, its clock is off',
    isPlayed: plays('clocks'),
    sign: /clock is [\d.]+ s (?:ahead of|behind) the ledger's: nothing is dialled/g,
  },
  {
    what: 'settings: a process must not dial, its contact rules are not the ones in force',
    // A process without a file follows the ledger: two must have one.
    isPlayed: (plan) => having(plan, 'CARILLON_POLICY').length > 1,
    sign: /are not the ones in force [^"]*nothing is dialled/g,
  },
  {
    what: 'settings: 429 to a process whose VOICE_RATE is above the limit',
    isPlayed: (plan) => having(plan, 'VOICE_RATE').some((share) => isFast({ VOICE_RATE: share })),
    sign: /the service is busy: the lane rests/g,
    of: isFast,
  },
  {
    what: 'settings: an attempt not admitted, a key’s calls at once (VOICE_MAX_CALLS)',
    isPlayed: differs('VOICE_MAX_CALLS'),
    sign: /"admission":"full"/g,
    of: (settings) => settings.VOICE_MAX_CALLS !== undefined,
  },
  {
    what: 'settings: a call given up after VOICE_CALL_DEADLINE_MS',
    isPlayed: differs('VOICE_CALL_DEADLINE_MS'),
    count: ({ attempts }) => attempts.filter((attempt) => attempt.reason === 'stale').length,
  },
  {
    what: 'disk: a process must not dial, no room for call ids',
    isPlayed: plays('disk'),
    sign: /spool cannot be written[^"]*no call is made/g,
  },
  {
    what: 'disk: a process must not dial, no room for notes of creates',
    isPlayed: plays('disk'),
    sign: /journal cannot be written[^"]*no call is made/g,
  },
  {
    what: 'disk: a call id had no room',
    isPlayed: plays('disk'),
    sign: /a call id could not be kept on disk/g,
  },
  {
    what: 'twins: refused',
    isPlayed: plays('twins'),
    count: (_, faults) => sumOf(faults, /^twins .*: refused/),
  },
  {
    what: 'lost history: noticed',
    isPlayed: plays('lost'),
    count: ({ losses }) => losses.filter((loss) => loss.noticedAt !== null).length,
  },
  {
    what: 'lost history: people left to a person',
    isPlayed: plays('lost'),
    count: ({ losses }) => losses.reduce((sum, loss) => sum + loss.marked, 0),
  },
  {
    what: 'an attempt was not sent, two seconds after its commit were over',
    count: ({ moves }) => detailed(moves, 'planned', /woke too late/),
  },
  {
    what: 'a window closed before the commit',
    isPlayed: (plan) => plan.closesInMs !== null,
    sign: /"admission":"shut"|the window is closed/g,
  },
  {
    what: 'a journal freed what its dead dialer never sent',
    count: ({ attempts }) => attempts.filter((attempt) => attempt.reason === 'unsent').length,
  },
  { what: 'a call id waited on disk', sign: /a call id was kept on disk/g },
  { what: 'a connection to the ledger fell silent', sign: /fell silent/g },
  { what: 'a deadlock was lost', sign: /lost a deadlock/g },
];

function isFast({ VOICE_RATE: share }: Readonly<Record<string, string>>): boolean {
  return share !== undefined && Number(share) > 1;
}

function detailed(moves: Evidence['moves'], kind: string, form: RegExp): number {
  return moves.filter((move) => move.kind === kind && form.test(move.detail ?? '')).length;
}

export function countBites(
  folder: string,
  plan: Plan,
  evidence: Pick<Evidence, 'moves' | 'attempts' | 'losses'>,
  faults: Readonly<Bites>,
): Bites {
  const logs = readdirSync(folder)
    .filter((name) => name.endsWith('.log'))
    .map((name) => ({
      settings: plan.extras.settings[placeOf(basename(name, '.log'))] ?? {},
      text: readFileSync(join(folder, name), 'utf8'),
    }));
  const inLogs = ({ sign, of }: Bite) =>
    logs
      .filter(({ settings }) => !of || of(settings))
      .reduce((sum, { text }) => sum + (sign ? (text.match(sign)?.length ?? 0) : 0), 0);
  return Object.fromEntries(
    list
      .filter(({ isPlayed }) => !isPlayed || isPlayed(plan))
      .map((bite) => [bite.what, bite.count ? bite.count(evidence, faults) : inLogs(bite)]),
  );
}

/** The place of a process among those that dial, by its name. */
function placeOf(name: string): number {
  return Number(/^worker-(\d+)$/.exec(name)?.[1] ?? 0);
}
