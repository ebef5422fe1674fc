import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { openCsv } from '../src/intake/csv.ts';
import type { AcceptedRow, RejectedRow } from '../src/intake/recipients.ts';
import { buildCreateBody, defaultProfile, loadProfile } from '../src/voice/profile.ts';

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

describe('examples/profile.json', () => {
  it('is accepted, and differs from the defaults as its README says', () => {
    const profile = loadProfile(`${folder}profile.json`);
    expect(profile).toEqual({
      ...defaultProfile,
      override: { field: 'agent_overrides', variables: 'variables' },
    });
    const body = buildCreateBody(profile, {
      agentId: 'a',
      phone: '+14155550101',
      variables: { company: 'C' },
    });
    expect(body).toMatchObject({ agent_overrides: { variables: { company: 'C' } } });
  });
});
