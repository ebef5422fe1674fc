import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createLog } from '../../src/base/log.ts';
import { confirmLedger } from '../../src/control/ledger/history.ts';
import { writtenPolicy } from '../../src/ledger/policies/policies.ts';
import { createBroker } from './engine.ts';
import { enter, leave } from './install.ts';
import { Broken, createJudge } from './judge.ts';
import { type Hand, once, putRight, resolve, rowsOf, suppressOne } from './people.ts';
import { drawPlan, type Plan } from './plan.ts';
import { memoryFolder, type SimLedger } from './postgres.ts';
import { baseUrl, closeJournals, ledgerOf, type Process, type Stage } from './process.ts';
import { createService } from './service.ts';
import { act, crash, healPoison, mishaps, plant, poison, type Scene, startOne, suspend } from './trouble.ts';
import { createSkies, type Skies } from './weather.ts';
import { createDigest, createWorld, type Owner, type World } from './world.ts';

/** One schedule: a world drawn from its seed, trouble for a while, and then calm, in which everything must finish. */
export type Played = {
  seed: number;
  broken: string | null;
  steps: number;
  calls: number;
  statements: number;
  digest: string;
  last: string[];
  plan: Plan;
};

const log = createLog('silent');
/** Longest that everything may take once it is calm, in simulated time. */
const patienceMs = 25 * 60_000;
const mostSteps = 20_000;
/** In which every process looks at the ledger’s history. */
const noticeMs = 10_000;

/** A generator with a long period and good bits, small enough to be drawn from a hundred thousand times a second. */
function seeded(seed: number): () => number {
  let a = (seed ^ 0x9e3779b9) >>> 0;
  return () => {
    a = (a + 0x6d2b79f5) >>> 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Which trouble a seed draws, before anything is played. */
export const kindsOf = (seed: number) => drawPlan(seed, seeded(seed)).kinds;

export async function play(seed: number, books: SimLedger, keep = 200): Promise<Played> {
  const random = seeded(seed);
  const plan = drawPlan(seed, random);
  const digest = createDigest(keep);
  const world = createWorld(random, plan.startsAt, digest);
  const skies = createSkies(plan, random, world.now);
  const home = mkdtempSync(join(memoryFolder(), 'carillon-sim-'));
  let statements = 0;
  let broken: string | null = null;
  let calls = 0;
  await books.begin(seed);
  enter(world);
  try {
    const scene = await open(world, plan, skies, books, home, () => {
      statements += 1;
    });
    calls = await playOut(scene).finally(() => {
      calls = scene.hand.service.calls.length;
    });
  } catch (error) {
    broken = error instanceof Broken ? error.message : `an error: ${(error as Error).stack}`;
    digest.add(broken);
  } finally {
    leave();
    closeJournals();
    await books.end();
    rmSync(home, { recursive: true, force: true });
  }
  return {
    seed,
    broken,
    steps: world.steps(),
    calls,
    statements,
    digest: digest.value(),
    last: digest.last(),
    plan,
  };
}

async function open(
  world: World,
  plan: Plan,
  skies: Skies,
  books: SimLedger,
  home: string,
  count: () => void,
): Promise<Scene> {
  const ids: string[] = [];
  const judge = createJudge(world, books, plan, ids);
  const service = createService(
    world,
    skies.service,
    {
      async leaves(sent) {
        await judge.leaves(sent);
        if (!plan.kinds.has('people') || sent.fate !== 'busy' || scene.actsLeft === 0) return;
        if (world.random() < 0.4)
          act(scene, world.random() * 60, `a person suppresses ${sent.who}`, () =>
            suppressOne(scene.hand, sent.phone),
          );
      },
      makes: judge.makes,
      mayEnd(by) {
        if (!skies.isCalm() && plan.kinds.has('crash') && world.random() < plan.odds.crash)
          crash(scene, by as Process);
      },
    },
    plan.promise,
  );
  const processes: Process[] = [];
  const broker = createBroker(world, skies.broker);
  const stage: Stage = {
    world,
    books,
    broker,
    service,
    plan,
    weather: skies.ledger,
    home,
    mark: null,
    log,
    isOver: false,
    runs: null,
    seen: (owner, name, values) => {
      count();
      if (name === 'campaigns/take') judge.takes(values.limit);
      strikeAt(owner, name);
    },
  };
  const person: Process = { name: 'person', alive: true, sleepsUntil: 0, skewMs: 0, stoodMs: 0 };
  const calm = { reachMs: () => 0, backMs: () => 0, failure: () => null };
  const ledger = ledgerOf({ ...stage, weather: calm, seen: count }, person);
  const hand: Hand = {
    world,
    ledger,
    plan,
    judge,
    service,
    ids,
    sleep: (ms) => world.sleep(person, Math.ceil(ms)),
  };
  const direct = ledgerOf({ ...stage, seen: count }, person, true);
  const scene: Scene = {
    world,
    plan,
    skies,
    judge,
    stage,
    processes,
    hand,
    direct,
    started: 0,
    actsLeft: plan.acts,
    keptAt: 0,
  };

  books.setTime(world.now());
  stage.mark = (await direct.lostHistory.look()).ledger;
  await direct.lanes.join(plan.keys);
  if (plan.policy) await direct.policies.set(writtenPolicy(plan.policy), 'api');
  for (const { name, order, phones } of plan.campaigns) {
    const id = await direct.campaigns.create({
      name,
      baseUrl,
      state: 'running',
      driver: plan.limited ? 'run' : 'background',
      order,
    });
    ids.push(id!);
    if (plan.limited) stage.runs = id!;
    await direct.people.import(id!, once(rowsOf(name, phones, plan.numbers)), {
      columns: ['phone'],
      mode: 'whole',
    });
  }
  return scene;

  /** A process that has just committed an intent, or is about to learn of it, may end or be suspended there. */
  function strikeAt(owner: Owner, name: string): void {
    if (
      skies.isCalm() ||
      (name !== 'attempts/open' && name !== 'attempts/plan' && name !== 'attempts/placed')
    )
      return;
    // People act at any time, and just after a plan or an intent, when it matters most.
    if (plan.kinds.has('people') && scene.actsLeft > 0 && world.random() < 0.25)
      act(scene, world.random() ** 2 * 1_500);
    const dice = world.random();
    if (plan.kinds.has('crash') && dice < Math.max(0.06, plan.odds.crash)) crash(scene, owner as Process);
    else if (plan.kinds.has('suspend') && dice > 0.9) suspend(scene, owner as Process);
  }
}

/** When everything has noticed, a person has a look at what was noted, and says so. */
async function confirmHistory({ world, plan, stage, direct, keptAt }: Scene): Promise<void> {
  const until = world.now() + noticeMs;
  while (await world.step(until));
  if (keptAt === 0) return;
  stage.books.setTime(world.now());
  const since = world.random() < 0.5 ? { lost_since: new Date(keptAt).toISOString() } : {};
  await confirmLedger(
    { ledger: direct, home: stage.home, deadlineMs: plan.deadlineMs, now: world.now },
    since,
  );
}

async function playOut(scene: Scene): Promise<number> {
  const { world, plan, skies, judge, stage, processes, hand, direct } = scene;
  for (let nth = 0; nth < plan.processes; nth++) startOne(scene, nth);
  plant(scene);
  const end = world.now() + plan.faultsMs;
  await world.settled();
  while (await world.step(end)) check(scene);
  // Calm: all processes end once more, and what was closed is opened.
  skies.calm();
  for (const each of processes) judge.troubled.add(each.name);
  // A process that saw what was lost tells it; otherwise a process that starts finds all.
  if (plan.history) await confirmHistory(scene);
  else for (const each of processes) each.alive = false;
  stage.isOver = true;
  stage.books.setTime(world.now());
  // A person's act moves all attempts of a campaign in one statement, which the poisoned row would make fail.
  const isPoisoned = await healPoison(stage.books);
  await putRight({ ...hand, ledger: direct });
  if (isPoisoned) await poison(stage.books);
  check(scene);
  // Which of two attempts a call belongs to is found out by the next round.
  if (world.random() < 0.1 && !plan.kinds.has('lies')) await judge.audit(direct);
  if (!plan.history) startOne(scene, 0);
  if (plan.poisonMs !== null) {
    await playToEnd(scene, 2);
    await healPoison(stage.books);
  }
  await playToEnd(scene, 1);
  // A create that was never sent is found in the round after the history was confirmed; and one whose expiry passes between
  // the look into the journals and the look for the dead is freed by the next round.
  const [dead] = await stage.books.ask(
    `select from carillon.attempts where state = 'unknown' and reason = 'crashed' and journal is not null limit 1`,
  );
  if (plan.history || dead) {
    const until = world.now() + noticeMs + plan.beats.reconcile;
    while (await world.step(until)) check(scene);
  }
  await judge.spends();
  await judge.causes(stage.home);
  await judge.accounts();
  stage.books.setTime(world.now());
  await judge.audit(direct);
  if (world.random() < 0.1) {
    await resolve({ ...hand, ledger: direct }, plan.campaigns[0]!, hand.ids[0]!);
    await judge.audit(direct);
  }
  return hand.service.calls.length;
}

/** Of everybody from this row on. */
async function playToEnd(scene: Scene, fromRow: number): Promise<void> {
  const { world, stage } = scene;
  const last = world.now() + patienceMs;
  let left = '';
  do {
    const until = world.now() + 15_000;
    while (await world.step(until)) check(scene);
    left = await unfinished(stage.books, fromRow);
  } while (left !== '' && world.now() < last);
  if (left !== '') throw new Broken(`not everything ends: ${left}`);
}

function check(scene: Scene): void {
  const error = mishaps.get(scene);
  if (error) throw error;
  if (scene.world.steps() > mostSteps)
    throw new Broken(`the schedule does not end within ${mostSteps} steps`);
}

/** People whom a spent budget leaves waiting are where they belong. */
async function unfinished(books: SimLedger, fromRow: number): Promise<string> {
  const rows = (await books.ask(
    `select state || coalesce(' (' || held || ')', '') as state, count(*)::integer as n from carillon.people
      where row >= $1 and (state in ('queued', 'calling', 'parked') or (state = 'waiting' and not exists (
        select from carillon.budget_wait(campaign_id) w where w.kind is not null))
        -- The service is still asked.
        or (state = 'unknown' and exists (select from carillon.attempts a where a.recipient_id = people.id and a.sent is not null)))
      group by 1 order by 1`,
    [fromRow],
  )) as {
    state: string;
    n: number;
  }[];
  return rows.map(({ state, n }) => `${n} ${state}`).join(', ');
}
