import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createCrew } from './crew.ts';
import { openDiary } from './diary.ts';
import { listOf } from './people.ts';
import type { Plan } from './schedule.ts';
import { root, type Stage } from './stage.ts';
import { type Field, pause } from './strike.ts';
import { firstCreate, sufferAll } from './suffer.ts';

/** The obvious dispatcher on BullMQ under the same SIGKILLs; its errors are counted in the same journal. */
export type PlainVerdict = {
  seed: number;
  engine: string;
  people: number;
  kills: number;
  calls: number;
  /** Calls beyond the first to one number. */
  twice: number;
  /** Numbers that were never called. */
  never: number;
  /** Jobs that the queue counts as failed; most of these people were called. */
  failed: number;
  seconds: number;
};

/** A stalled job is found after 30 s, in checks every 30 s. */
const quietMs = 150_000;

export async function playPlain(stage: Stage, plan: Plan, signal: AbortSignal): Promise<PlainVerdict> {
  const began = performance.now();
  const keys = ['sk_plain'];
  const ground = await stage.openRound(plan.engine, { ...plan, speed: 100, keys });
  // It handles only good answers, so it gets no rate limit.
  await ground.service.control({ rate: null });
  const crew = createCrew({ ...ground, program: join(root, 'bench', 'peers', 'plain-bullmq.js') });
  const diary = openDiary();
  const over = new AbortController();
  const field: Field = { ground, plan, crew, diary, campaign: 'plain', campaigns: [], over: over.signal };
  const people = join(ground.folder, 'people.csv');
  writeFileSync(people, listOf(plan.people));
  const order = JSON.stringify({
    engine: plan.engine,
    storeUrl: ground.directEnv.REDIS_URL ?? ground.ledgerUrl,
    serviceUrl: ground.env.VOICE_BASE_URL,
    key: keys[0],
    people,
    rate: plan.rate / 2,
  });
  try {
    const loaded = await crew.call(['load', order]);
    if (loaded.code !== 0) throw new Error(`the jobs could not be added: ${loaded.stderr}`);
    for (let n = 0; n < plan.workers; n++) crew.hire(`plain-${n}`, ['work', order], { restartMs: () => 300 });
    await firstCreate(field, signal);
    await sufferAll(field, signal, () => over.abort());
    let counts: Record<string, number> = {};
    for (const end = Date.now() + quietMs; Date.now() < end && !signal.aborted; await pause(3_000)) {
      counts = JSON.parse((await crew.call(['count', order])).stdout) as Record<string, number>;
      if (['waiting', 'active', 'delayed', 'prioritized'].every((name) => !counts[name])) break;
    }
    const { created, duplicates } = await ground.service.state();
    return {
      seed: plan.seed,
      engine: plan.engine,
      people: plan.people,
      kills: crew.lives.filter((life) => life.killed).length,
      calls: created,
      twice: duplicates,
      never: plan.people - (created - duplicates),
      failed: counts.failed ?? 0,
      seconds: (performance.now() - began) / 1_000,
    };
  } finally {
    await crew.dismiss(1_000);
    await ground.close(false);
  }
}

export function tellPlain(verdict: PlainVerdict): string {
  const { seed, engine, people, kills, calls, twice, never, failed, seconds } = verdict;
  return (
    `plain BullMQ ${seed}  ${engine}, ${people} people, ${kills} SIGKILLs: ${calls} calls, ${twice} to a number ` +
    `already called, ${never} never called, ${failed} jobs failed, ${seconds.toFixed(0)} s`
  );
}
