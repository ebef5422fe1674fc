import { resolveOne } from './person.ts';
import { ask } from './postgres.ts';
import { timeoutMs } from './stage.ts';
import { choose, type Field, pause } from './strike.ts';

/**
 * A dialer that is stopped between its commit and its request, until a person has resolved the attempt as not called.
 * The ledger's times are shifted by hand to skip the hours that this takes; the process only sees that it slept.
 */
const age = `update carillon.attempts set expires_at = expires_at - interval '10 minutes'
  where state = 'dialing' and dialer like $1`;
const unknown = `select a.id, r.phone, a.call_id as "callId" from carillon.attempts a
  join carillon.recipients r on r.id = a.recipient_id
  where a.state = 'unknown' and a.dialer like $1 and a.call_id is null and a.expires_at < now() - interval '9 minutes'`;
/** Long enough for a round of the reconcilers, which find dead dialers. */
const judgedMs = 20_000;

export async function makeZombie(who: number, field: Field): Promise<void> {
  const { ground, crew, diary } = field;
  const member = choose(crew, who);
  const life = member?.life();
  if (!member || !life || member.isStopped()) return;
  // Slow answers keep all of the few connections busy: the next committed create must wait for one.
  await ground.service.control({ latencyMs: 2_500 });
  await pause(1_800, field.over);
  member.stop();
  await ground.service.control({ latencyMs: [5, 25] });
  const mine = [`%-${life.pid}-%`];
  try {
    await pause(300);
    await ask(ground.ledgerUrl, age, mine);
    const end = Date.now() + judgedMs;
    let found: { id: string; phone: string; callId: string | null }[] = [];
    while (found.length === 0 && Date.now() < end && !field.over.aborted) {
      await pause(500, field.over);
      found = await ask<(typeof found)[number]>(ground.ledgerUrl, unknown, mine).catch(() => []);
    }
    for (const doubt of found.slice(0, 6)) diary.count(`zombie: ${await resolveOne(doubt, field)}`);
    await pause(timeoutMs / 3, field.over);
  } catch {
    diary.note('a zombie could not be prepared: the ledger was unreachable');
  } finally {
    member.go();
  }
}
