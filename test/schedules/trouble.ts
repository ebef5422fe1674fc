import { noteRestored } from '../../src/dispatch/trust/last-seen.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import type { Judge } from './judge.ts';
import { actOnce, type Hand } from './people.ts';
import type { Plan } from './plan.ts';
import type { SimLedger } from './postgres.ts';
import { type Process, type Stage, startProcess } from './process.ts';
import type { Skies } from './weather.ts';
import type { World } from './world.ts';

/** The trouble in a schedule while it is played, at times that its seed draws; and what people do meanwhile. */
export type Scene = {
  world: World;
  plan: Plan;
  skies: Skies;
  judge: Judge;
  stage: Stage;
  processes: Process[];
  hand: Hand;
  /** The ledger outside of the simulated time. */
  direct: Ledger;
  started: number;
  /** How often people will act yet. */
  actsLeft: number;
  /** When what may come back was kept. */
  keptAt: number;
};

export function startOne(scene: Scene, nth: number): void {
  const { world, plan, stage, processes } = scene;
  scene.started += 1;
  // One that is wrong by a minute does not dial at all.
  const isSkewed = plan.kinds.has('skew') && !scene.skies.isCalm();
  const skewMs = isSkewed ? Math.floor((world.random() - 0.5) * (world.random() < 0.2 ? 200_000 : 8_000)) : 0;
  const name = `p${nth + 1}.${scene.started}`;
  processes[nth] = startProcess(stage, name, skewMs, () => again(scene, nth));
}

function again(scene: Scene, nth: number): void {
  const { world } = scene;
  world.at(world.now() + 200 + world.random() * 8_000, null, `p${nth + 1} starts again`, () =>
    startOne(scene, nth),
  );
}

export function crash(scene: Scene, owner: Process): void {
  const nth = scene.processes.indexOf(owner);
  if (nth < 0 || !owner.alive) return;
  scene.world.note(owner, 'ends without a word');
  owner.alive = false;
  scene.judge.troubled.add(owner.name);
  again(scene, nth);
}

export function suspend(scene: Scene, owner: Process): void {
  const { world } = scene;
  if (!owner.alive) return;
  const ms = Math.floor(world.random() * (world.random() < 0.5 ? 4_000 : 60_000));
  world.note(owner, `is suspended for ${ms} ms`);
  owner.sleepsUntil = Math.max(owner.sleepsUntil, world.now() + ms);
  // A machine that sleeps stops its monotonic clock; a process that is stopped does not.
  if (world.random() < 0.5) owner.stoodMs += ms;
  scene.judge.troubled.add(owner.name);
}

/** Trouble at times that the seed draws, besides what strikes at each request. */
export function plant(scene: Scene): void {
  const { world, plan, skies, stage, processes } = scene;
  // Sooner rather than later, as most calls are made at once.
  const sometime = () => world.now() + world.random() ** 1.5 * plan.faultsMs;
  const often = (kind: Parameters<Plan['kinds']['has']>[0], most: number, what: string, act: () => void) => {
    if (!plan.kinds.has(kind)) return;
    for (let n = Math.ceil(world.random() * most); n > 0; n--) world.at(sometime(), null, what, act);
  };
  const any = () => processes[Math.floor(world.random() * processes.length)]!;
  often('crash', 3, 'a crash', () => crash(scene, any()));
  often('suspend', 3, 'a suspension', () => suspend(scene, any()));
  often('queue', 2, 'the queue is emptied', () => stage.broker.flush());
  often('queue', 2, 'the queue is away', () => skies.takeQueue(world.now() + world.random() * 20_000));
  often('ledger', 2, 'the ledger is away', () => skies.takeLedger(world.now() + world.random() * 15_000));
  if (plan.history) {
    world.at(world.now() + plan.history.from, null, 'timer', () => keepHistory(scene));
    world.at(world.now() + plan.history.at, null, 'the ledger is put back', () => loseHistory(scene));
  }
  if (plan.poisonMs !== null)
    world.at(world.now() + plan.poisonMs, null, 'a row is poisoned', () => poison(stage.books));
  for (let n = Math.ceil(plan.acts / 2); n > 0; n--) act(scene, sometime() - world.now());
}

export function act(scene: Scene, inMs: number, what = 'timer', work = () => actOnce(scene.hand)): void {
  const { world } = scene;
  scene.actsLeft -= 1;
  world.at(world.now() + inMs, null, what, () => void work().catch((error) => mishap(scene, error)));
}

/** No attempt of the first person can be moved any more. */
export async function poison(books: SimLedger): Promise<void> {
  await books.ask(`create or replace function sim.poison() returns trigger language plpgsql as $$ begin
    if exists (select from carillon.recipients r where r.id = coalesce(new.recipient_id, old.recipient_id) and r.row = 1) then
      raise exception 'value out of range: overflow' using errcode = '22003';
    end if;
    return coalesce(new, old);
  end $$`);
  await books.ask(`create trigger poison before update or delete on carillon.attempts
    for each row execute function sim.poison()`);
}

/** Whether there was something to heal. */
export async function healPoison(books: SimLedger): Promise<boolean> {
  const found = await books.ask(`select from pg_trigger where tgname = 'poison'`);
  await books.ask('drop trigger if exists poison on carillon.attempts');
  return found.length > 0;
}

/** Not before a process has vouched for it: until then a ledger is new, and nobody was called by it. */
async function keepHistory(scene: Scene): Promise<void> {
  const { world, stage } = scene;
  const [row] = await stage.books.ask('select place is not null as known from carillon.witnessed');
  if (!row!.known) {
    world.at(world.now() + 200, null, 'timer', () => keepHistory(scene));
    return;
  }
  world.note(null, 'what the ledger holds is kept');
  scene.keptAt = world.now();
  await stage.books.keepHistory();
}

/** By a person, who stopped all processes before; or by a failover, which none of them is told of. */
async function loseHistory(scene: Scene): Promise<void> {
  const { plan, stage, judge, processes } = scene;
  if (scene.keptAt === 0) return;
  stage.books.setTime(scene.world.now());
  await stage.books.loseHistory();
  judge.loses();
  if (!plan.history!.restored) return;
  noteRestored(stage.home, 'a backup');
  for (const each of processes) {
    if (!each.alive) continue;
    each.alive = false;
    judge.troubled.add(each.name);
    again(scene, processes.indexOf(each));
  }
}

/** The errors that people who acted were told. */
export const mishaps = new WeakMap<Scene, Error>();
function mishap(scene: Scene, error: Error): void {
  // An import into a list that was canceled meanwhile is refused, and so on: a person is told.
  if ((error as { code?: string }).code === 'campaign-state') return;
  mishaps.set(scene, error);
}
