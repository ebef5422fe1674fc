import { randomUUID } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLog } from '../../src/base/log.ts';
import { createEngine } from '../../src/engine/engine.ts';
import { statements } from '../../src/ledger/statements.ts';
import { describeService } from '../../src/voice/load-service.ts';
import { agentOf, caller, profileOf } from '../support/dialects.ts';
import { type Bites, countBites } from './bites.ts';
import { clockEnv, findClockLibrary } from './clocks.ts';
import { type Crew, createCrew } from './crew.ts';
import { type Diary, openDiary } from './diary.ts';
import { createDice } from './dice.ts';
import { driveToEnd, isRunOver } from './ending.ts';
import { type Evidence, type ResultRow, readLedger, readRecords, readResults } from './evidence.ts';
import { judge, type Violation } from './judge.ts';
import { endedByLoss } from './lost.ts';
import { measurePace, type Pace } from './pace.ts';
import { listOf, phoneOf } from './people.ts';
import { ask } from './postgres.ts';
import { calmOf, nextNumber, type Plan, pool, retried, retry } from './schedule.ts';
import { type Stage, timeoutMs } from './stage.ts';
import { type Field, pause } from './strike.ts';
import { firstCreate, sufferAll } from './suffer.ts';
import { type Tally, tallyOf } from './tally.ts';

/** One round: a campaign under a schedule of faults, then driven to its end and judged. */
export type Verdict = {
  plan: Plan;
  seconds: number;
  tally: Tally;
  pace: Pace;
  faults: Record<string, number>;
  bites: Bites;
  notes: string[];
  violations: Violation[];
  folder: string | null;
};

const campaign = 'chaos';
/** The names of the campaigns that share the people. */
const namesOf = ({ sharing }: Plan) =>
  Array.from({ length: sharing }, (_, i) => (i === 0 ? campaign : `${campaign}-${i + 1}`));

export async function playRound(
  stage: Stage,
  plan: Plan,
  options: { keep: boolean; signal: AbortSignal; hasty?: boolean },
): Promise<Verdict> {
  const began = performance.now();
  const keys = Array.from({ length: plan.keys }, (_, i) => `sk_chaos_${i}_${randomUUID()}`);
  const service = { ...plan, speed: 100, keys };
  const ground = await stage.openRound(plan.engine, service, plan.extras.names.includes('disk'));
  const { folder } = ground;
  const setFile = (variable: string, name: string, content: object) => {
    const path = join(folder, name);
    writeFileSync(path, JSON.stringify(content));
    for (const env of [ground.env, ground.directEnv]) env[variable] = path;
  };
  if (plan.policy) {
    const { calls, perSeconds, gapSeconds } = plan.policy;
    const caps = [{ calls, per: `${perSeconds}s` }];
    setFile('CARILLON_POLICY', 'policy.json', { caps, gap: `${gapSeconds}s` });
  }
  if (plan.service !== 'standard') {
    setFile('VOICE_PROFILE', 'profile.json', profileOf(plan.service));
    for (const env of [ground.env, ground.directEnv]) env.VOICE_SERVICE = plan.service;
  }
  if (plan.promise) {
    const idempotency = { header: 'Idempotency-Key', holdsSeconds: 86_400 };
    setFile('VOICE_PROFILE', 'profile.json', { idempotency });
  }
  const crew = createCrew(ground);
  const diary = openDiary();
  const people = Array.from({ length: plan.people }, (_, i) => phoneOf(i));
  writeFileSync(join(folder, 'people.csv'), listOf(plan.people, plan.numbers));
  let verdict: Verdict | undefined;
  try {
    const over = new AbortController();
    const field: Field = { ground, plan, crew, diary, campaign, campaigns: namesOf(plan), over: over.signal };
    const startedAt = Date.now();
    await startCampaign(field, options.hasty ?? false);
    await firstCreate(field, options.signal);
    await sufferAll(field, options.signal, () => over.abort());
    const ended = await driveToEnd(field, options.signal, options.hasty ?? false);
    if (options.signal.aborted) throw new Error('interrupted');
    const evidence = await gather(field, people, ended);
    const violations = judge(evidence);
    const faults = Object.fromEntries([...diary.counts].sort());
    verdict = {
      plan,
      seconds: (performance.now() - began) / 1_000,
      tally: tallyOf(evidence, violations),
      pace: measurePace(evidence.creates, diary, { startedAt, calmMs: calmOf(plan.strikeMs) }),
      faults,
      bites: countBites(folder, plan, evidence, faults),
      notes: [...diary.notes, ...exitsOf(crew)],
      violations,
      folder: null,
    };
    const keep = options.keep || violations.length > 0;
    if (keep) {
      verdict.folder = folder;
      writeFileSync(join(folder, 'evidence.json'), JSON.stringify({ ...evidence, diary: tellDiary(diary) }));
    }
    return verdict;
  } finally {
    await crew.dismiss(500);
    await ground.close(verdict ? verdict.folder !== null : !options.signal.aborted);
  }
}

/** `hasty`: beside other tests, where an answer in time may come after a second. */
async function startCampaign(field: Field, hasty: boolean): Promise<void> {
  const { plan, crew, ground } = field;
  const dice = createDice(plan.seed ^ 0x5eed);
  const restartMs = () => dice.between(50, 600);
  const window = plan.closesInMs === null ? null : windowOf(plan, plan.closesInMs, field.diary);
  const again = plan.mostAttempts > 1;
  if (plan.extras.names.includes('clocks') && !findClockLibrary())
    field.diary.note('the clocks are right: libfaketime is not installed (apt-get install faketime)');
  if (plan.mode === 'run') {
    const wasCanceled = () => field.diary.bans.some((ban) => ban.why === 'canceled');
    const args = ['run', 'people.csv', '--agent', agentOf(plan.service), '--name', campaign];
    args.push('--json', '--yes', '--out', 'results.csv', ...(window ? ['--window', window] : []));
    if (plan.service !== 'standard') args.push('--from', caller);
    if (again) args.push('--max-attempts', `${plan.mostAttempts}`, '--retry', retry);
    if (plan.numbers > 1) args.push('--next-number', nextNumber);
    if (plan.pool !== null) for (const number of pool) args.push('--from', number);
    if (plan.pool !== null) args.push('--per-number-calls', `${plan.pool}`);
    const env = oddities(field, 'run', 0);
    crew.hire('run', args, {
      restartMs,
      env,
      isDone: (code, life, said) =>
        (code === 0 || (code === 3 && isRunOver(said)) || wasCanceled()) && !endedByLoss(field.diary, life),
    });
    // Background workers next to it must not touch a run's campaign.
    if (plan.workers >= 3)
      crew.hire('worker-1', ['worker'], {
        restartMs,
        env: { ...timeoutOf(1), ...oddities(field, 'worker-1', 1) },
      });
    return;
  }
  const env = deadlineOf(plan);
  const up = crew.hire('up', ['up'], { restartMs, env: { ...env, ...oddities(field, 'up', 0) } });
  const [, api] = await up.says(/listens on (\S+)/);
  const send = async (path: string, type: string, body: string) => {
    const answer = await fetch(`${api}${path}`, { method: 'POST', headers: { 'content-type': type }, body });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as { id: string };
  };
  const order = {
    agent: agentOf(plan.service),
    ...(plan.service === 'standard' ? {} : { from: [caller] }),
    ...(window ? { window } : {}),
    ...(again ? { max_attempts: plan.mostAttempts, retry } : {}),
    ...(plan.numbers > 1 ? { next_number: nextNumber } : {}),
    ...(plan.pool === null ? {} : { from: [...pool], per_number_calls: plan.pool }),
    ...(plan.budget === null ? {} : { max_cost: plan.budget }),
  };
  const ids: string[] = [];
  for (const name of field.campaigns) {
    const { id } = await send('/api/campaigns', 'application/json', JSON.stringify({ name, ...order }));
    await send(`/api/campaigns/${id}/recipients`, 'text/csv', listOf(plan.people, plan.numbers));
    ids.push(id);
  }
  for (let n = 1; n < plan.workers; n++) {
    const worker = crew.hire(`worker-${n}`, ['worker'], {
      restartMs,
      env: { ...(plan.policy || hasty ? {} : timeoutOf(n)), ...env, ...oddities(field, `worker-${n}`, n) },
    });
    await worker.says(/Workers run/);
  }
  for (const id of ids) await send(`/api/campaigns/${id}/start`, 'application/json', '{}');
  field.diary.note(`the campaign was started over ${ground.env.VOICE_BASE_URL}`);
}

/** The clock and the settings of a process, where they are not those of the others. */
function oddities({ plan, ground }: Field, name: string, place: number): Record<string, string> {
  const { names, clocks, settings } = plan.extras;
  const { VOICE_RATE: share, CARILLON_POLICY: rules, ...rest } = settings[place] ?? {};
  const env: Record<string, string> = { ...rest };
  if (share) env.VOICE_RATE = String(Math.max(1, plan.rate * Number(share)));
  if (rules && !plan.policy) {
    env.CARILLON_POLICY = join(ground.folder, `${name}.policy.json`);
    writeFileSync(env.CARILLON_POLICY, rules);
  }
  return names.includes('clocks') ? { ...env, ...clockEnv(ground.folder, name, clocks[place] ?? 0) } : env;
}

/** Workers with a longer or a shorter timeout than the others on the same ledger. */
function timeoutOf(worker: number): Record<string, string> {
  return { VOICE_TIMEOUT_MS: String(worker === 1 ? (timeoutMs * 2) / 3 : timeoutMs * 2) };
}

/**
 * An unknown attempt keeps its phone from the other lists until its expiry and the deadline of a call have passed. A
 * round cannot wait two hours for that.
 */
function deadlineOf({ sharing }: Plan): Record<string, string> {
  return sharing > 1 ? { VOICE_CALL_DEADLINE_MS: '20000' } : {};
}

/**
 * Windows close at whole minutes: the nearest one that still leaves some time, where nobody is called any more whom the
 * service may dial later.
 */
function windowOf({ service }: Plan, closesInMs: number, diary: Diary): string {
  const queueMs = (describeService(service).queue_seconds ?? 0) * 1_000;
  const at = Math.ceil((Date.now() + queueMs + closesInMs) / 60_000) * 60_000;
  diary.ban('closed', at);
  const clock = (time: number) => new Date(time).toISOString().slice(11, 16);
  return `${clock(at - 6 * 3_600_000)}-${clock(at)}`;
}

async function gather(field: Field, people: string[], ended: Evidence['ended']): Promise<Evidence> {
  const { ground, crew, diary } = field;
  const { method, path } = describeService(field.plan.service).create;
  const form = new RegExp(`^${ground.service.base}${path.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`);
  const creates = (await ground.service.journal({ method })).filter((entry) => form.test(entry.path));
  const results: ResultRow[] = [];
  for (const name of field.campaigns) {
    const out = join(ground.folder, `${name}.csv`);
    const exported = await crew.call(['campaign', 'export', name, '--out', out], 300_000);
    if (!existsSync(out)) throw new Error(`the results cannot be exported: ${exported.stderr}`);
    results.push(...readResults(out, name));
  }
  const audit = await crew.call(['audit', '--json'], 300_000);
  if (audit.code === null) throw new Error('the audit did not end in time');
  const queues = await countJobs(field);
  await crew.dismiss(timeoutMs + 8_000);
  const leftovers = crew.lives
    .filter((life) => life.diedAt === null)
    .map((life) => `${life.name} ${life.pid}`);
  return {
    people,
    sharing: field.plan.sharing,
    numbers: field.plan.numbers,
    pool: field.plan.pool,
    budget: field.plan.budget,
    mostAttempts: field.plan.mostAttempts,
    policy: field.plan.policy,
    retried,
    tellsStatus: field.plan.service === 'standard',
    creates,
    ...(await readLedger(ground.ledgerUrl)),
    results,
    ...(await readRecords(ground.service)),
    lives: crew.lives,
    troubles: diary.troubles,
    bans: diary.bans,
    losses: diary.losses,
    timeoutMs,
    audit: { code: audit.code, words: audit.stdout.slice(0, 2_000) },
    queues,
    breaches: diary.breaches,
    leftovers,
    ended,
  };
}

/** Jobs in every queue of the service's keys. A late poll's job is dropped when it is due, so this waits for it. */
async function countJobs(field: Field): Promise<Record<string, number>> {
  const { ground, plan, crew } = field;
  const { bucketName, queueName } = await import('../../src/queues/job.ts');
  const [mark] = await ask<{ mark: string }>(ground.ledgerUrl, statements.get('server/mark')!.text);
  const engine = await createEngine({
    redisUrl: ground.directEnv.REDIS_URL,
    databaseUrl: ground.ledgerUrl,
    ledger: mark!.mark,
    log: createLog('silent'),
  });
  try {
    const lanes = Array.from({ length: plan.keys }, (_, i) =>
      bucketName(ground.env.VOICE_BASE_URL!, `key${i}`),
    );
    // A run's own queues are empty if it ended by itself; one killed after a cancel leaves them to the background.
    const ended = plan.mode === 'run' && !field.diary.bans.some((ban) => ban.why === 'canceled');
    const runs = ended
      ? await ask<{ id: string }>(ground.ledgerUrl, 'select id from carillon.campaigns')
      : [];
    const scopes = [null, ...runs.map((run) => run.id)];
    const names = lanes.flatMap((lane) =>
      scopes.flatMap((scope) => [queueName(lane, 'dial', scope), queueName(lane, 'track', scope)]),
    );
    await engine.join(lanes);
    const queues = names.map((name) => engine.newQueue(name));
    const count = async () =>
      Promise.all(
        queues.map(async (queue) => {
          const counts = await queue.getJobCounts('waiting', 'active', 'delayed', 'prioritized');
          return Object.values(counts).reduce((sum, n) => sum + n, 0);
        }),
      );
    let counts = await count();
    const works = crew.members().some((member) => member.name !== 'run' && member.life());
    for (const end = Date.now() + 60_000; works && counts.some((n) => n > 0) && Date.now() < end; ) {
      await pause(500);
      counts = await count();
    }
    await Promise.all(queues.map((queue) => queue.close()));
    return Object.fromEntries(names.map((name, i) => [name, counts[i]!]));
  } finally {
    await engine.close();
  }
}

/** Processes that ended by themselves, with their exit codes. */
function exitsOf(crew: Crew): string[] {
  const codes = new Map<string, number>();
  for (const life of crew.lives) {
    if (life.killed || life.code === null) continue;
    const name = `${life.name} ended with ${life.code}${life.words ? `: ${life.words}` : ''}`;
    codes.set(name, (codes.get(name) ?? 0) + 1);
  }
  return [...codes].map(([name, times]) => `${times} x ${name}`);
}

function tellDiary(diary: Diary): object {
  return { comebacks: diary.comebacks, notes: diary.notes, counts: Object.fromEntries(diary.counts) };
}
