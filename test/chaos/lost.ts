import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Crew, Life } from './crew.ts';
import { type Diary, type Loss, never } from './diary.ts';
import type { Fault } from './faults.ts';
import { ask } from './postgres.ts';
import { type Field, pause } from './strike.ts';

/** The ledger is put back to a backup in the middle of a round; a person confirms it, and the campaigns continue. */
const noticedMs = 45_000;
/** People are not called while the ledger waits for its person: so long at least, to see that. */
const waitsMs = 1_500;

export const isLosing = ({ losses }: Diary) => losses.some((loss) => loss.confirmedAt === never);

/** Whether it ended because of the loss: a run exits with 3 while the ledger, or all its people, wait for a person. */
export const endedByLoss = ({ losses }: Diary, life: Life) =>
  losses.some((loss) => life.bornAt < loss.settledAt && (life.diedAt ?? never) >= loss.from);

export async function loseHistory(fault: Fault & { kind: 'lost' }, field: Field): Promise<void> {
  const { ground, crew, diary } = field;
  const beganAt = Date.now();
  const loss: Loss = {
    beganAt,
    madeAt: beganAt,
    from: never,
    backAt: never,
    noticedAt: null,
    confirmedAt: never,
    settledAt: never,
    since: fault.since,
    marked: 0,
    faults: [],
  };
  diary.losses.push(loss);
  const folder = join(ground.folder, 'backups');
  mkdirSync(folder);
  try {
    const backup = await again(() => ground.postgres.backUp(folder));
    loss.madeAt = Date.now();
    await pause(fault.forMs);
    if (crew.members()[0]?.isRetired()) {
      diary.losses.pop();
      diary.note('no history was lost: the campaign had ended');
      return;
    }
    await putBack(backup, fault.all, loss, field);
    await confirm(loss, field);
  } finally {
    loss.confirmedAt = Math.min(loss.confirmedAt, Date.now());
    loss.settledAt = Date.now();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function putBack(
  backup: string,
  all: boolean,
  loss: Loss,
  { ground, crew, diary }: Field,
): Promise<void> {
  const end = diary.begin('ledger', 'put back to a backup');
  loss.from = Date.now();
  // A pause since the backup is forgotten.
  for (const ban of diary.bans) if (ban.why === 'paused' && ban.to === never) ban.to = loss.from;
  diary.ban('lost', loss.from);
  if (all) await Promise.all(crew.members().map((member) => member.kill()));
  await ground.postgres.restore(backup);
  loss.backAt = Date.now();
  end();
}

type Standing = { lost: boolean; running: string[] };
const standing = `select (select l.lost_at is not null from carillon.witnessed l) as lost,
  array(select c.name from carillon.campaigns c where c.state = 'running') as running`;

async function confirm(loss: Loss, field: Field): Promise<void> {
  const { ground, crew, diary } = field;
  const look = async () =>
    (await ask<Standing>(ground.ledgerUrl, standing).catch(() => []))[0] ?? { lost: false, running: [] };
  const accuse = (words: string) => loss.faults.push(words);
  for (const end = Date.now() + noticedMs; loss.noticedAt === null && Date.now() < end; await pause(200))
    if ((await look()).lost) loss.noticedAt = Date.now();
  if (loss.noticedAt !== null) {
    await pause(waitsMs);
    for (const name of field.campaigns) {
      const resumed = await crew.call(['campaign', 'resume', name]);
      diary.count(`history lost: resume ${resumed.code === 0 ? 'ALLOWED' : 'refused'}`);
      if (resumed.code === 0) accuse(`${name} was resumed before the ledger was confirmed`);
    }
    for (const name of (await look()).running) accuse(`${name} ran before the ledger was confirmed`);
  }
  const ban = diary.bans.findLast((each) => each.why === 'lost')!;
  ban.to = Date.now();
  const since = loss.since || loss.noticedAt === null;
  loss.marked = await again(() => sayConfirmed(crew, since ? loss.beganAt : null));
  loss.confirmedAt = Date.now();
  diary.count(`history lost: ${loss.noticedAt === null ? 'nobody noticed' : 'noticed'}, confirmed`);
  diary.note(
    `history lost from ${told(loss.madeAt)} to ${told(loss.from)}, noticed after ${loss.noticedAt === null ? 'never' : `${loss.noticedAt - loss.backAt} ms`}, ${loss.marked} became unknown`,
  );
  if (since) await resolveLost(field);
  if (field.plan.mode === 'background')
    for (const name of field.campaigns) await crew.call(['campaign', 'resume', name]);
}

const told = (at: number) => new Date(at).toISOString().slice(11, 23);

async function sayConfirmed(crew: Crew, since: number | null): Promise<number> {
  const args = ['ledger', 'confirm', '--yes', '--json'];
  if (since !== null) args.push('--lost-since', new Date(since).toISOString());
  const ended = await crew.call(args, 60_000);
  if (ended.code !== 0) throw new Error(`ledger confirm: ${ended.code} ${ended.stderr}`);
  return (JSON.parse(ended.stdout) as { marked: number }).marked;
}

type Marked = { id: string; phone: string };
const marked = `select a.id, a.phone from carillon.attempts a
  where a.state = 'unknown' and a.reason = 'lost-history' and a.call_id is null`;
const known = 'select a.call_id as id from carillon.all_attempts a where a.call_id is not null';
/** A round cannot wait for the minutes in which a request may still be on its way: the harness knows that none is. */
const age = `update carillon.attempts set expires_at = expires_at - interval '10 minutes'
  where state = 'unknown' and reason = 'lost-history'`;

/** The person settles all that were marked, from the service's list of calls. */
async function resolveLost({ ground, crew, diary }: Field): Promise<void> {
  while (diary.troubles.some((each) => each.what === 'service' && each.to === never)) await pause(100);
  await pause(500);
  await again(() => ask(ground.ledgerUrl, age));
  const doubts = await ask<Marked>(ground.ledgerUrl, marked);
  const ids = new Set((await ask<{ id: string }>(ground.ledgerUrl, known)).map((each) => each.id));
  const unclaimed = new Map<string, string[]>();
  for (const { phone, call } of await ground.service.journal({ method: 'POST' }))
    if (phone && call && !ids.has(call)) unclaimed.set(phone, [...(unclaimed.get(phone) ?? []), call]);
  const called: string[] = [];
  const others: string[] = [];
  for (const { id, phone } of doubts) {
    const call = unclaimed.get(phone)?.pop();
    if (call) called.push(`${id},${call}`);
    else others.push(id);
  }
  const settle = async (as: 'called' | 'not-called', rows: string[]) => {
    if (rows.length === 0) return;
    const file = join(ground.folder, `${as}.csv`);
    writeFileSync(file, `attempt${as === 'called' ? ',call_id' : ''}\n${rows.join('\n')}\n`);
    const ended = await crew.call(
      ['unknown', 'resolve', '--file', file, '--as', as, '--yes', '--json'],
      120_000,
    );
    const { resolved = 0, failed = [] } = JSON.parse(ended.stdout || '{}');
    diary.note(
      `lost history: ${resolved} resolved as ${as}, ${failed.length} refused ${failed[0]?.detail ?? ended.stderr}`,
    );
  };
  await settle('called', called);
  await settle('not-called', others);
}

/** Another fault may have killed the ledger at this moment. */
export async function again<T>(work: () => Promise<T>): Promise<T> {
  for (const end = Date.now() + 30_000; ; await pause(500)) {
    try {
      return await work();
    } catch (error) {
      if (Date.now() > end) throw error;
    }
  }
}
