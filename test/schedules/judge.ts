import { readFileSync } from 'node:fs';
import { auditLedger } from '../../src/control/ledger/audit.ts';
import { journalPath } from '../../src/dispatch/disk/journal-file.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { type Policy, readPolicy } from '../../src/rules/policy/policy.ts';
import { type Plan, personOf } from './plan.ts';
import type { SimLedger } from './postgres.ts';
import { ambiguous, type Call, type Sent } from './service.ts';
import type { World } from './world.ts';

/** The rules at every step and at the end, judged by what the service did and what people were answered. */
export class Broken extends Error {}

type Known = {
  made: { call: Call; dialedAt: number }[];
  /** The times of intents whose creates are on their way, oldest first. */
  under: number[];
  sent: Sent[];
  lastAt: number;
};
type Row = {
  state: string | null;
  dialingAt: Date | null;
  isRepeat: boolean;
  expiresAt: Date | null;
  dialer: string | null;
  ended: number;
  redials: number;
  inCampaign: number;
  inLane: number;
  inNumber: number;
};

/** The intent of a person's create, and what is known of them. */
const intent = `select a.state, a.sent is not null and a.state = 'unknown' as "isRepeat",
  case when a.state = 'unknown' then a.repeated_at else a.dialing_at end as "dialingAt", a.expires_at as "expiresAt", a.dialer, r.redials::integer,
  (select count(*)::integer from carillon.ended_attempts e where e.recipient_id = r.id and e.state = 'done') as ended,
  (select count(*)::integer from carillon.attempts x where x.campaign_id = r.campaign_id
    and x.state in ('dialing', 'placed')) as "inCampaign",
  (select count(*)::integer from carillon.attempts x where x.lane_id = a.lane_id
    and x.state in ('dialing', 'placed')) as "inLane",
  (select count(*)::integer from carillon.attempts x where x.caller = a.caller
    and x.state in ('dialing', 'placed')) as "inNumber"
from carillon.recipients r left join carillon.attempts a on a.recipient_id = r.id
where r.campaign_id = $1 and r.row = $2`;

const twoLive = 'two attempts are live on one phone at once';

/** Longest that a request leaves after its intent. */
const wakeMs = 2_000;

/** One that was noted and then left too late may be unknown too: its dialer ended before it took that back. */
function isNoted(home: string, journal: string | null, words: string): boolean {
  return journal !== null && readFileSync(journalPath(home, journal), 'utf8').includes(words);
}

export type Judge = ReturnType<typeof createJudge>;

export function createJudge(world: World, books: SimLedger, plan: Plan, ids: readonly string[]) {
  const people = new Map<string, Known>();
  const stopped = new Map<string, number>();
  let isCalm = false;
  const canceled = new Set<string>();
  const barred = new Set<string>();
  const erased = new Map<string, number>();
  let lostAt = Number.NEGATIVE_INFINITY;
  /** Phones about which the service told what was not so. */
  const lied = new Set<string>();
  const attemptsOf = new Map(plan.campaigns.map(({ name, order }) => [name, order.maxAttempts]));
  const redials = new Set(
    plan.campaigns.filter(({ order }) => order.onUnknown === 'redial').map(({ name }) => name),
  );
  const windows = new Map(plan.campaigns.map(({ name, opensUntil }) => [name, opensUntil]));
  /** Processes that died, slept, or lost an answer of the ledger. */
  const troubled = new Set<string>();
  /** When a run took its campaign, and how many calls it may make yet. */
  const takes: { at: number; left: number }[] = [];
  let policy: Policy | null = plan.policy && readPolicy(plan.policy);

  const known = (who: string): Known => {
    const found = people.get(who) ?? { made: [], under: [], sent: [], lastAt: 0 };
    people.set(who, found);
    return found;
  };
  const fail = (rule: string): never => {
    throw new Broken(rule);
  };
  const campaignOf = (who: string) => who.slice(0, who.indexOf('/'));

  return {
    troubled,
    fail,
    people,
    lied,
    /** The answers that people got. */
    pausedAt(name: string) {
      if (!isCalm) stopped.set(name, world.now());
    },
    resumes: (name: string) => stopped.delete(name),
    /** Everything is resumed from now on: also what is being paused at this moment. */
    calm() {
      isCalm = true;
      stopped.clear();
    },
    canceled: (name: string) => canceled.add(name),
    isCanceled: (name: string) => canceled.has(name),
    barred: (phone: string) => barred.add(phone),
    erased: (phone: string) => erased.set(personOf(phone), world.now()),
    /** The ledger was put back. */
    loses() {
      lostAt = world.now();
    },
    unbars: (phone: string) => barred.delete(phone),
    raises: (name: string, attempts: number) =>
      attemptsOf.set(name, Math.max(attempts, attemptsOf.get(name) ?? 1)),
    opensAgain: (name: string) => windows.set(name, null),
    rules(next: Policy | null) {
      policy = next;
    },

    takes(limit: unknown) {
      takes.push({ at: world.now(), left: (limit as number | null) ?? Number.POSITIVE_INFINITY });
    },

    /** A create leaves: its intent is committed, nothing forbids it, and nobody was called for it before. */
    async leaves(sent: Sent): Promise<void> {
      const { who, phone } = sent;
      const name = campaignOf(who);
      const own = known(who);
      const now = world.now();
      books.setTime(now);
      const id = ids[plan.campaigns.findIndex((each) => each.name === name)];
      const [row] = (await books.ask(intent, [id, Number(who.split('/')[1])])) as [Row?];
      // A commit in the part that was lost is on its way for a moment more, and noted.
      const isGhost = now - lostAt <= wakeMs && row?.state !== 'dialing' && !row?.isRepeat;
      if (isGhost) {
        own.under.push(now);
        own.sent.push(sent);
        return;
      }
      if ((row?.state !== 'dialing' && !row?.isRepeat) || !row.dialingAt)
        return fail(`a create for ${who} leaves while its attempt is ${row?.state ?? 'gone'}`);
      const dialedAt = row.dialingAt.getTime();
      if (now - dialedAt > wakeMs) fail(`a create for ${who} leaves ${now - dialedAt} ms after its intent`);
      if (stopped.has(name)) fail(`a create for ${who} leaves after the pause of ${name} was answered`);
      if (canceled.has(name)) fail(`a create for ${who} leaves after the cancel of ${name} was answered`);
      if (barred.has(phone))
        fail(`a create for ${who} leaves after the suppression of ${phone} was answered`);
      const until = windows.get(name) ?? null;
      if (until !== null && dialedAt >= until)
        fail(`a create for ${who} was opened after the window had closed`);
      const gone = erased.get(personOf(phone));
      if (gone !== undefined && dialedAt > gone)
        fail(`a create for ${who} was opened after the erasure of ${phone} was answered`);
      keepsCaps(name, row);
      // A redial is the owner's own risk; a service that lies about its calls is nobody's.
      const excused = lied.has(personOf(phone)) || (redials.has(name) && row.redials > 0);
      // Under a key that the service knows, no other call is made.
      if (sent.isKnown && row.isRepeat) return void own.sent.push(sent);
      if (!excused && own.made.length > row.ended)
        fail(
          `a create for ${who} leaves, who has ${own.made.length} calls, of which ${row.ended} are known to be over`,
        );
      if (!lied.has(personOf(phone))) keepsPolicy(who, phone, dialedAt);
      own.under.push(dialedAt);
      own.lastAt = dialedAt;
      own.sent.push(sent);
      if (sent.fate === 'other-id' || sent.fate === 'other-phone') {
        lied.add(personOf(phone));
        // The other call's person is drawn into it.
        for (const each of plan.campaigns) for (const other of each.phones) lied.add(other);
      }
    },

    makes(call: Call): void {
      const { who, phone } = call;
      const name = campaignOf(who);
      const own = known(who);
      const all = [...people].flatMap(([other, { made }]) => made.map((each) => ({ ...each, other })));
      const live = all.find(
        (each) =>
          personOf(each.call.phone) === personOf(phone) &&
          each.call.endsAt > call.madeAt &&
          each.call !== call,
      );
      own.made.push({ call, dialedAt: own.under.shift() ?? call.madeAt });
      const run = takes.findLast(({ at }) => at <= own.lastAt);
      if (run && --run.left < 0) fail(`${who} is called beyond the limit of the run`);
      if (lied.has(personOf(phone))) return;
      const isRisk = live && (redials.has(name) || redials.has(campaignOf(live.other)));
      const isOld = live && call.madeAt - live.call.madeAt > plan.deadlineMs;
      if (live && !isRisk && !isOld)
        fail(`${phone} has two live calls: ${live.call.id} of ${live.other}, and ${call.id} of ${who}`);
      const most = (attemptsOf.get(name) ?? 1) + (redials.has(name) ? 1 : 0);
      if (own.made.length > most) fail(`${who} was called ${own.made.length} times, and ${most} are allowed`);
    },

    /** The ledger's own rules. */
    async audit(ledger: Ledger): Promise<void> {
      const audit = await auditLedger(ledger);
      if (audit.ok) return;
      // A call whose end was lost ends again when it is asked for, which may be after the next one was noted.
      const isKnown = (rule: string) => plan.history !== null && rule === twoLive;
      const rules = audit.rules
        .filter(({ ok, rule }) => !ok && !isKnown(rule))
        .map(({ rule, broken }) => `${broken} x ${rule}`);
      const sums = audit.campaigns.flatMap(({ name, faults }) => faults.map((fault) => `${name}: ${fault}`));
      if (rules.length + sums.length > 0) fail(`the audit: ${[...rules, ...sums].join('; ')}`);
    },

    /** No campaign has spent more than its budget: every call costs the same. */
    async spends(): Promise<void> {
      if (lied.size > 0 || plan.history) return;
      const spent = (await books.ask(`select c.name, c.max_cost as most, sum(t.cost) as cost
          from carillon.campaigns c join carillon.cost_sums t on t.campaign_id = c.id
          where c.max_cost is not null group by 1, 2`)) as { name: string; most: number; cost: number }[];
      for (const { name, most, cost } of spent)
        if (cost > most + 1e-6) fail(`${name} has spent ${cost}, and ${most} were allowed`);
    },

    /** Every call that was made is one of the ledger's, or may be behind one that is unknown. */
    async accounts(): Promise<void> {
      const rows = (await books.ask(`select c.name || '/' || r.row as who,
            count(*) filter (where a.call_id is not null)::integer as called,
            count(*) filter (where a.call_id is null and (a.state = 'unknown' or a.was = 'unknown'))::integer as doubted
          from carillon.recipients r join carillon.campaigns c on c.id = r.campaign_id
          left join (select recipient_id, call_id, state, null as was from carillon.attempts
            union all select recipient_id, call_id, state, was from carillon.ended_attempts) a on a.recipient_id = r.id
          group by 1`)) as { who: string; called: number; doubted: number }[];
      for (const { who, called, doubted } of rows) {
        const made = people.get(who)?.made.length ?? 0;
        // In the part that was lost, people answer for one call each.
        const isShort = plan.history ? made > 0 && called + doubted === 0 : made > called + doubted;
        if (isShort && lied.size === 0)
          fail(
            `the service called ${who} ${made} times, and the ledger knows ${called} and doubts ${doubted}`,
          );
      }
    },

    /** Nobody is unknown without a cause: an answer that could not be read, or a process in trouble. */
    async causes(home: string): Promise<void> {
      const rows =
        (await books.ask(`select c.name || '/' || r.row as who, a.reason, a.dialer, a.journal, a.id, a.ticket, a.phone,
          a.looked is not null as asked
          from carillon.attempts a
          join carillon.recipients r on r.id = a.recipient_id join carillon.campaigns c on c.id = r.campaign_id
          where a.state = 'unknown'`)) as {
          who: string;
          reason: string;
          dialer: string;
          journal: string | null;
          id: string;
          ticket: string;
          phone: string;
          asked: boolean;
        }[];
      for (const { who, reason, dialer, journal, id, ticket, phone, asked } of rows) {
        if (plan.poisonMs !== null && who.endsWith('/1')) continue;
        const last = people.get(who)?.sent.at(-1);
        // What was kept to send again goes with an erasure.
        const isPromised = plan.promise !== null && !plan.history && !erased.has(personOf(phone));
        if (isPromised && last && !asked && ['lost', 'crashed'].includes(reason))
          fail(`${who} is unknown (${reason}), and the service was not asked as long as it promised`);
        // A create that was never noted never left. No journal proves that any more of an attempt that was live when
        // history was lost.
        const isOurs = plan.notes && reason === 'crashed' && (journal !== null || !plan.history);
        if (isOurs && !isNoted(home, journal, `${id} ${ticket} `))
          fail(`${who} is unknown, whose create was never noted`);
        if (plan.history) continue;
        const isLost = last !== undefined && ambiguous.has(last.fate);
        if (isLost || troubled.has(dialer) || plan.kinds.has('slow') || lied.size > 0) continue;
        if (reason === 'stale' && plan.kinds.has('reads')) continue;
        fail(`${who} is unknown (${reason}) without a cause: ${last?.fate ?? 'nothing was sent'}`);
      }
    },
  };

  function keepsCaps(name: string, { inCampaign, inLane, inNumber }: Row): void {
    const { maxCalls: most, perNumberCalls } = plan.campaigns.find((each) => each.name === name)!.order;
    if (perNumberCalls !== null && inNumber > perNumberCalls)
      fail(`a caller number has ${inNumber} calls at once, and ${perNumberCalls} are allowed`);
    if (most !== null && inCampaign > most)
      fail(`${name} has ${inCampaign} calls at once, and ${most} are allowed`);
    if (plan.laneCap !== null && inLane > plan.laneCap)
      fail(`a key has ${inLane} calls at once, and ${plan.laneCap} are allowed`);
  }

  function keepsPolicy(who: string, phone: string, dialedAt: number): void {
    if (!policy) return;
    const calls = [...people.values()].flatMap(({ made }) => made).filter(({ call }) => call.phone === phone);
    for (const { calls: most, perSeconds } of policy.caps) {
      const within = calls.filter((each) => each.dialedAt > dialedAt - perSeconds * 1_000);
      if (within.length >= most)
        fail(`a create for ${who} leaves against the cap of ${most} in ${perSeconds} s`);
    }
    const gap = policy.gapSeconds;
    if (gap === null || redials.size > 0) return;
    const near = calls.find(
      ({ call }) => Math.min(call.endsAt, call.madeAt + plan.deadlineMs) > dialedAt - gap * 1_000,
    );
    if (near) fail(`a create for ${who} leaves within the gap of ${gap} s after ${near.call.id}`);
  }
}
