import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../src/base/clock.ts';
import { createSender, makeSecret } from '../src/control/webhooks/send.ts';
import { openCsv } from '../src/intake/csv.ts';
import type { AcceptedRow, RejectedRow } from '../src/intake/recipients.ts';
import { describeCreate } from '../src/voice/clients.ts';
import { loadService, standard } from '../src/voice/load-service.ts';
import { describeProfile } from '../src/voice/profile.ts';

/** The program reads the examples as their README says. */
const folder = fileURLToPath(new URL('../examples/', import.meta.url));
const words = readFileSync(`${folder}README.md`, 'utf8');

describe('examples/people.csv', () => {
  const accepted: AcceptedRow[] = [];
  const rejected: RejectedRow[] = [];

  beforeAll(async () => {
    const intake = await openCsv({ path: `${folder}people.csv` }, { country: 'US' });
    expect(intake.columns).toEqual(['name', 'phone', 'timezone', 'company']);
    for await (const batch of intake.batches) {
      accepted.push(...batch.accepted);
      rejected.push(...batch.rejected);
    }
  });

  it('has as many good and broken rows as its README says', () => {
    expect(words).toContain(`${accepted.length + rejected.length} rows`);
    expect(words).toContain(`${accepted.length} rows are accepted`);
    const lines = [...words.matchAll(/^\| (\d+) +\|/gm)].map((row) => Number(row[1]));
    expect(rejected.map((row) => row.row)).toEqual(lines);
  });

  it('has its broken rows rejected by name', () => {
    const reasons = rejected.map((row) => row.reason);
    expect(reasons[0]).toContain('letters');
    expect(reasons[1]).toContain('spreadsheet');
    expect(reasons[2]).toBe('duplicate of line 2');
    expect(reasons[3]).toContain('time zone');
  });

  it('calls nobody: every number is reserved for fiction', () => {
    const fictional =
      /^\+1\d{3}55501\d\d$|^\+4420794600?\d{3}$|^\+441614960\d{3}$|^\+447700900\d{3}$|^\+331990[01]\d{4}$|^\+3363998\d{4}$|^\+493023125\d{3}$|^\+491713920\d{3}$|^\+6149157\d{4}$|^\+6125550\d{4}$|^\+468465004\d\d$|^\+46701740(?:60[5-9]|6[1-9]\d)$/;
    expect(accepted.filter((row) => !fictional.test(row.phone)).map((row) => row.phone)).toEqual([]);
  });

  it('has a time zone for each number', () => {
    expect(accepted.filter((row) => row.place === '').map((row) => row.row)).toEqual([]);
  });
});

describe('examples/week.csv', () => {
  it('calls nobody: every number is reserved for fiction', () => {
    const numbers = readFileSync(`${folder}week.csv`, 'utf8').match(/\+\d+/g)!;
    expect(numbers).toHaveLength(500);
    const owned = numbers.filter((phone) => !/^\+1\d{3}55501\d\d$/.test(phone));
    // Too short, and rejected.
    expect(owned).toEqual(['+12055550']);
  });
});

describe('examples/receiver.js', () => {
  it('takes what is signed with its secret, once, and nothing else', async () => {
    const secret = makeSecret();
    const child = spawn(process.execPath, [`${folder}receiver.js`], {
      env: { PATH: process.env.PATH, WEBHOOK_SECRET: secret, PORT: '0' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    const url = /http:\S+/.exec((await lines.next()).value)![0];
    const clock = systemClock;
    const right = createSender({ url, secret, allowPrivate: true, clock });
    const wrong = createSender({ url, secret: makeSecret(), allowPrivate: true, clock });
    try {
      const event = {
        id: 'evt_1',
        type: 'recipient.done',
        at: 'now',
        data: { campaign: 'spring', outcome: 'busy' },
      };
      const message = { id: event.id, body: JSON.stringify(event) };
      expect((await wrong.send(message)).status).toBe(401);
      for (let times = 0; times < 2; times++) expect((await right.send(message)).status).toBe(204);
      await right.send({ id: 'evt_2', body: message.body.replace('evt_1', 'evt_2') });
      const said = [(await lines.next()).value, (await lines.next()).value];
      expect(said).toEqual(['now recipient.done spring busy', 'now recipient.done spring busy']);
    } finally {
      await Promise.all([right.close(), wrong.close()]);
      child.kill();
      await once(child, 'close');
    }
  });
});

describe('examples/profile.json', () => {
  it('is accepted, and differs from the defaults as its README says', () => {
    const { description } = loadService(undefined, `${folder}profile.json`);
    const override = { field: 'agent_overrides', variables: 'variables' };
    expect(description).toEqual(describeProfile(standard(), { override }));
    const { body } = describeCreate(description, 'https://voice.example/v1', {
      agentId: 'a',
      phone: '+14155550101',
      variables: { company: 'C' },
    });
    expect(body).toMatchObject({ agent_overrides: { variables: { company: 'C' } } });
  });
});
