import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readJournals } from '../../src/dispatch/disk/journal-file.ts';
import { type Desk, openDesk, people, summaryOf } from '../support/carillon.ts';
import { ask, asked, creates, expectSound, until } from '../support/journeys.ts';
import { startDatabaseProxy } from '../support/proxy.ts';
import { canUseRedis } from '../support/redis.ts';

const engines = canUseRedis('a killed run, with the queue in Redis')
  ? (['postgres', 'redis'] as const)
  : (['postgres'] as const);

type Opened = { id: string; ticket: string; phone: string };

/** The ledger's attempts in dialling: those that the run had noted before it was to leave, and the rest. */
async function dialling(desk: Desk): Promise<{ noted: Opened[]; unnoted: Opened[] }> {
  const opened = await ask<Opened>(
    desk,
    "select id, ticket, phone from carillon.attempts where state = 'dialing' order by id",
  );
  const notes = new Set<string>();
  for await (const journal of readJournals(join(desk.folder, 'home')))
    for (const { attemptId, ticket } of journal.notes) notes.add(`${attemptId} ${ticket}`);
  const isNoted = ({ id, ticket }: Opened) => notes.has(`${id} ${ticket}`);
  return { noted: opened.filter(isNoted), unnoted: opened.filter((each) => !isNoted(each)) };
}

const phonesOf = (list: readonly Opened[]) => list.map(({ phone }) => phone).sort();
const others = `select count(*)::integer as n from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid() and state is not null`;

/** A real SIGKILL on both sides of the note that a dialer makes before each create. */
describe.concurrent('a run that is killed between its intents and its answers', () => {
  it.each(engines)(
    'calls those whom it had not noted, once, and leaves those whom it had noted to a person (%s)',
    async (engine) => {
      const desk = await openDesk(engine, { speed: 2_000, rate: 200 });
      const ledger = await startDatabaseProxy(desk.databaseUrl);
      try {
        desk.write('people.csv', people(120));
        const args = ['run', 'people.csv', '--agent', 'agent_1', '--json'];
        const settings = { VOICE_RATE: '40', VOICE_TIMEOUT_MS: '20000' };
        const run = desk.start(args, { ...settings, DATABASE_URL: ledger.url });
        await until(() => creates(desk).length >= 5, 'some calls');

        // The service makes two calls and says nothing: noted, and nobody can know.
        const sent = creates(desk).length;
        desk.sim.control({ faults: [{ kind: 'hang', when: 'after', next: 2 }] });
        await until(() => creates(desk).length >= sent + 2, 'calls without an answer');
        // Answers of the ledger are long under way: an intent is committed, and its dialer does not know it yet.
        for (let isCaught = false; !isCaught; ) {
          ledger.slow(600);
          await until(async () => (await dialling(desk)).unnoted.length > 0, 'an intent on its way');
          ledger.freeze();
          isCaught = (await dialling(desk)).unnoted.length > 0;
          if (!isCaught) ledger.thaw();
        }
        run.child.kill('SIGKILL');
        await run.ended;
        await ledger.cut();
        await until(async () => (await ask<{ n: number }>(desk, others))[0]!.n === 0, 'an idle ledger');

        const { noted, unnoted } = await dialling(desk);
        expect(noted.length).toBeGreaterThanOrEqual(2);
        expect(unnoted.length).toBeGreaterThanOrEqual(1);
        const before = asked(desk);
        for (const { phone } of unnoted) expect(before.get(phone), phone).toBeUndefined();
        const arrived = creates(desk).length;

        // Others are called at once: the attempts of the dead run are judged when their time is over.
        const second = desk.start(args, settings);
        await until(() => creates(desk).length > arrived, 'another call');
        const still = await dialling(desk);
        expect(phonesOf(still.noted)).toEqual(expect.arrayContaining(phonesOf(noted)));
        expect(phonesOf(still.unnoted)).toEqual(expect.arrayContaining(phonesOf(unnoted)));
        second.child.kill('SIGINT');
        expect((await second.ended).code).toBe(130);
        await ask(desk, 'update carillon.attempts set expires_at = now() where ticket = any ($1::uuid[])', [
          [...noted, ...unnoted].map(({ ticket }) => ticket),
        ]);
        const ended = await desk.run(args, settings);
        expect(ended.code, ended.stderr).toBe(3);
        expect(summaryOf(ended)).toMatchObject({
          rows: 120,
          done: 120 - noted.length,
          unknown: noted.length,
        });
        const unknown = await ask<Opened>(desk, "select phone from carillon.people where state = 'unknown'");
        expect(phonesOf(unknown)).toEqual(phonesOf(noted));
        const after = asked(desk);
        for (const { phone } of unnoted) expect(after.get(phone), phone).toBe(1);
        for (const { phone } of noted) expect(after.get(phone), phone).toBe(before.get(phone));
        await expectSound(desk);
      } finally {
        await desk.close();
        await ledger.close();
      }
    },
  );
});
