import type { Evidence } from './evidence.ts';
import { ask } from './postgres.ts';
import { type Field, pause } from './strike.ts';

/** After the faults: everything is restored, and the campaign is driven until nothing moves. */
const settledMs = 300_000;

/** Attempts in dialling: the processes that dialled were killed, so nobody waits for their expiry. */
const age = "update carillon.attempts set expires_at = now() where state = 'dialing' and expires_at > now()";

/** `hasty`: the last restart finds at once all that it must, as if the time had passed. */
export async function driveToEnd(
  field: Field,
  signal: AbortSignal,
  hasty: boolean,
): Promise<Evidence['ended']> {
  const { ground, plan, crew, diary } = field;
  const { service, wires, disk } = ground;
  disk?.free();
  for (const wire of [wires.ledger, wires.queue, wires.service]) {
    wire?.thaw();
    await wire?.restore();
  }
  await service.control({
    faults: [],
    credits: null,
    concurrency: null,
    rate: plan.rate,
    latencyMs: [5, 25],
    restoreKeys: Array.from({ length: plan.keys }, (_, i) => i),
  });
  for (const member of crew.members()) member.go();
  const canceled = diary.bans.some((ban) => ban.why === 'canceled');
  const closed = diary.bans.find((ban) => ban.why === 'closed');
  const shut = await ask<{ name: string }>(
    ground.ledgerUrl,
    "select name from carillon.lanes where state <> 'open'",
  );
  for (const { name } of shut) await crew.call(['keys', 'resume', name]);
  if (!canceled && plan.mode === 'background')
    for (const name of field.campaigns) await crew.call(['campaign', 'resume', name]);
  // Kill everything once more, with nothing after it, to time the first call and full pace from here.
  if (!canceled) {
    await Promise.all(crew.members().map((member) => member.kill()));
    if (hasty) await ask(ground.ledgerUrl, age);
    diary.count('kill all at the end');
    diary.comebacks.push({ what: 'last', at: Date.now() });
  }
  // A run that was killed after the cancel is not taken up again: its calls are left to background workers.
  if (canceled && crew.members().every(({ name }) => name === 'run')) crew.hire('worker-1', ['worker']);
  // Unknown calls hold places of a caller number, so a list may go on slowly: it is given up when nobody gets done.
  let [end, fewest] = [Date.now() + settledMs, Number.POSITIVE_INFINITY];
  while (!signal.aborted) {
    const open = await openRows(field);
    const many = Object.values(open).reduce((sum, n) => sum + n, 0);
    if (many < fewest && !('unread' in open)) [end, fewest] = [Date.now() + settledMs, many];
    const waitsForWindow =
      (closed !== undefined && Date.now() > closed.from + 5_000) ||
      (plan.budget !== null && (await isSpent(field)));
    const left = Object.entries(open).filter(([state]) => !(state === 'waiting' && waitsForWindow));
    if (left.length === 0) {
      diary.note('settled');
      if (canceled) return 'canceled';
      return waitsForWindow && (open.waiting ?? 0) > 0 ? 'closed' : 'done';
    }
    if (Date.now() > end) {
      diary.note(`not settled: ${left.map(([state, n]) => `${n} ${state}`).join(', ')}`);
      return 'unsettled';
    }
    await pause(300);
  }
  return canceled ? 'canceled' : 'done';
}

/** Whether the campaign's budget lets no further call pass, by one look: the end of a call may leave room for another. */
async function isSpent({ ground, campaign }: Field): Promise<boolean> {
  const rows = await ask<{ kind: string | null }>(
    ground.ledgerUrl,
    `select w.kind from carillon.campaigns c cross join lateral carillon.budget_wait(c.id) w where c.name = '${campaign}'
     and not exists (select from carillon.attempts a where a.state in ('dialing', 'placed'))`,
  ).catch(() => []);
  return rows.some(({ kind }) => kind !== null);
}

/** Unfinished rows, by state. */
async function openRows({ ground }: Field): Promise<Record<string, number>> {
  const rows = await ask<{ state: string; n: number }>(
    ground.ledgerUrl,
    `select state, count(*)::integer as n from carillon.people
     where state in ('waiting', 'queued', 'calling', 'parked') group by state
     -- The service is still asked.
     union all select 'asked', count(*)::integer from carillon.attempts a join carillon.campaigns c on c.id = a.campaign_id
     where a.state = 'unknown' and a.sent is not null and c.state = 'running' and not carillon.has_ended(c.ends_at)
       and not exists (select from carillon.barring(a.phone, c.id)) having count(*) > 0`,
  ).catch(() => [{ state: 'unread', n: 1 }]);
  return Object.fromEntries(rows.map((row) => [row.state, row.n]));
}

/** A run ends with 3 when some are unknown, and also when all its keys were revoked: then there are people to call. */
export function isRunOver(said: string): boolean {
  const last = said.trim().split('\n').at(-1);
  if (!last?.startsWith('{')) return false;
  const { waiting, queued, calling, parked } = JSON.parse(last) as Record<string, number>;
  return waiting === 0 && queued === 0 && calling === 0 && parked === 0;
}
