import { ask } from './postgres.ts';
import type { Field } from './strike.ts';

/** A person who resolves unknown attempts by looking at the service's list of calls. */
type Doubt = { id: string; phone: string; callId: string | null };

const doubts = `
select a.id, r.phone, a.call_id as "callId"
from carillon.attempts a join carillon.recipients r on r.id = a.recipient_id
where a.state = 'unknown' order by a.dialing_at`;

/** Resolves some. Those that the ledger refuses as too early stay unknown. */
export async function resolveSome(most: number, field: Field): Promise<void> {
  const found = await ask<Doubt>(field.ground.ledgerUrl, doubts).catch(() => []);
  for (const doubt of found.slice(0, most)) {
    if (field.over.aborted) return;
    await resolveOne(doubt, field);
  }
}

export async function resolveOne(
  doubt: Doubt,
  { ground, crew, diary }: Field,
): Promise<'called' | 'not-called'> {
  const created = (await ground.service.journal({ method: 'POST' })).filter(
    (entry) => entry.phone === doubt.phone && entry.call !== null,
  );
  const call = doubt.callId ?? created.at(-1)?.call ?? null;
  const as = call ? ['--as', 'called', '--call-id', call] : ['--as', 'not-called'];
  const ended = await crew.call(['unknown', 'resolve', doubt.id, ...as]);
  diary.count(`resolved as ${call ? 'called' : 'not called'}${ended.code === 0 ? '' : ', refused'}`);
  return call ? 'called' : 'not-called';
}
