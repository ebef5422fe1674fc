import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type Desk, openDesk } from '../support/carillon.ts';
import { until } from '../support/journeys.ts';
import { freePort } from '../support/ports.ts';
import { type Script, startScript } from '../support/script.ts';
import { startAirtable } from '../support/stand-ins/airtable.ts';
import { startHubspot } from '../support/stand-ins/hubspot.ts';
import { startSalesforce } from '../support/stand-ins/salesforce.ts';
import type { StandIn } from '../support/stand-ins/service.ts';

/**
 * Each CRM's example as a user starts it: contacts are called, and each call is in the CRM once, although the CRM failed,
 * the script was away, and every delivery came twice.
 */
const folder = fileURLToPath(new URL('../../examples/crm/', import.meta.url));
const phones = ['(415) 555-0101', '(415) 555-0102', '(415) 555-0103'];

type Crm = Pick<StandIn, 'asked' | 'hiccups' | 'close'> & {
  env: Record<string, string>;
  /** The calls as the CRM has them: whose, and how each ended. */
  calls(): { person: unknown; outcome: unknown }[];
  /** Ends the token that the script has. */
  endSession?(): void;
  /** A request that writes a result. */
  writes: RegExp;
};

async function hubspot(): Promise<Crm> {
  const contact = (id: number, call: string, phone: string | null) => ({
    id: String(id),
    properties: { firstname: 'Ann', lastname: String(id), phone, carillon_call: call },
  });
  const service = await startHubspot([
    ...phones.map((phone, at) => contact(501 + at, 'true', phone)),
    contact(504, 'false', '(415) 555-0104'),
    contact(505, 'true', null),
  ]);
  const calls = () =>
    [...service.calls.values()].map(({ contacts, properties }) => ({
      person: contacts.join(),
      outcome: properties.hs_call_title,
    }));
  return { ...service, calls, writes: /batch\/upsert$/ };
}

async function salesforce(): Promise<Crm> {
  const service = await startSalesforce(
    phones.map((Phone, at) => ({ Id: `003D0000000000${501 + at}`, Name: `Ann ${501 + at}`, Phone })),
  );
  const calls = () =>
    [...service.tasks.values()].map((task) => ({
      person: String(task.WhoId).slice(-3),
      outcome: task.Subject,
    }));
  return { ...service, calls, writes: /^PATCH / };
}

async function airtable(): Promise<Crm> {
  const person = (id: number, Call: boolean, Phone: string) => ({
    id: `recPerson${id}`,
    fields: { Name: `Ann ${id}`, Phone, Call },
  });
  const service = await startAirtable([
    ...phones.map((phone, at) => person(501 + at, true, phone)),
    person(504, false, '(415) 555-0104'),
  ]);
  const calls = () =>
    [...service.rows.values()].map(({ fields }) => ({
      person: String((fields.Person as string[]).join()).replace('recPerson', ''),
      outcome: `deals: ${fields.Outcome}`,
    }));
  return { ...service, calls, writes: /^PATCH / };
}

describe.concurrent('the example for', () => {
  it.each([
    ['hubspot', hubspot],
    ['salesforce', salesforce],
    ['airtable', airtable],
  ])('%s calls its contacts, and writes each call once', async (name, start) => {
    const crm = await start();
    const desk = await openDesk('postgres', { speed: 600, shares: { answered: 1 } });
    const [port, hook] = [String(await freePort()), String(await freePort())];
    const script = `${folder}${name}.mjs`;
    let running: Script | undefined;
    const env = { ...crm.env, CARILLON_URL: `http://127.0.0.1:${port}`, PORT: hook };
    try {
      const up = desk.start(['up'], { PORT: port, WEBHOOK_ALLOW_PRIVATE: '1' });
      await up.prints(/Workers run/);
      const people = async () =>
        (await startScript(script, ['people', 'deals'], env).ended).stdout.split('\n')[0];
      const { secret, id } = await prepare(desk, hook);
      const results = () => startScript(script, ['results'], { ...env, WEBHOOK_SECRET: secret });

      // Busy for a moment.
      crm.hiccups.push({ status: 429, headers: { 'retry-after': '0' } });
      expect(await people()).toMatch(/^deals: 3 new, 0 known, [01] rejected$/);
      expect(await people()).toMatch(/^deals: 0 new, 3 known, [01] rejected$/);
      // The script is not there at first; then the CRM fails for longer than it waits.
      await until(() => desk.sim.state().created === 3, 'three calls');
      crm.hiccups.push({ status: 503, headers: { 'retry-after': '60' } });
      running = results();
      await until(
        () => crm.calls().filter(({ person }) => person !== '').length === 3,
        'three calls in the CRM',
        120_000,
      );
      expect(crm.calls().sort((a, b) => String(a.person).localeCompare(String(b.person)))).toEqual(
        [501, 502, 503]
          .map((id) => ({ person: String(id), outcome: 'deals: answered' }))
          .map((each) => (name === 'salesforce' ? { ...each, outcome: 'Call: deals, answered' } : each)),
      );

      crm.endSession?.();
      const written = () => crm.asked.filter((each) => crm.writes.test(each)).length;
      const before = written();
      expect(
        (await desk.run(['webhook', 'replay', id, '--since', '1h'], { WEBHOOK_ALLOW_PRIVATE: '1' })).code,
      ).toBe(0);
      await until(() => written() >= before + 3, 'the same again', 120_000);
      expect(crm.calls()).toHaveLength(3);
      const forged = await fetch(`http://127.0.0.1:${hook}/hook`, { method: 'POST', body: '{}' });
      expect(forged.status).toBe(401);
    } finally {
      await running?.stop();
      await desk.close();
      await crm.close();
    }
  });
});

async function prepare(desk: Desk, hook: string): Promise<{ secret: string; id: string }> {
  const run = async (...words: string[]) => {
    const { code, stdout, stderr } = await desk.run(words, { WEBHOOK_ALLOW_PRIVATE: '1' });
    expect(code, stderr).toBe(0);
    return stdout;
  };
  await run('campaign', 'create', 'deals', '--agent', 'a', '--evergreen');
  await run('campaign', 'start', 'deals');
  return JSON.parse(
    await run('webhook', 'add', `http://127.0.0.1:${hook}/hook`, '--events', 'recipient.done', '--json'),
  );
}
