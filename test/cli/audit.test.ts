import { beforeEach, expect, it } from 'vitest';
import { makeCampaign, useTerminal } from './terminal.ts';

const term = useTerminal('test');
beforeEach(async () => {
  await makeCampaign(term.ledger, { name: 'march', baseUrl: term.simulator.url }, 3);
});

it('prints the balance of every campaign, including those that were started over, and every rule', async () => {
  const old = await term.ledger.campaigns.get('march');
  await term.ledger.campaigns.supersede(old.id);
  await makeCampaign(term.ledger, { name: 'march', baseUrl: 'http://other.example/v1' }, 2);
  const audit = await term.type('audit');
  expect(audit).toMatchObject({ code: 0, err: '' });
  expect(audit.out).toContain(`ok      march (started over, ${old.id}): 4 rows = 1 rejected + 3 skipped`);
  expect(audit.out).toContain('ok      march: 3 rows = 1 rejected + 2 waiting');
  expect(audit.out).toContain('ok      never: a recipient that is done was never called');
  const { json } = await term.type('audit --json');
  expect(json.ok).toBe(true);
  expect(json.campaigns).toHaveLength(2);
  expect(json.campaigns[0]).toMatchObject({ superseded: true, rows: 4, rejected: 1, skipped: 3, faults: [] });
  expect(json.rules.every((rule: { ok: boolean; broken: number }) => rule.ok && rule.broken === 0)).toBe(
    true,
  );
});

it('exits with 1 and names what is broken', async () => {
  await term.sql(`update carillon.recipients set state = 'live' where row = 2`);
  const audit = await term.type('audit');
  expect(audit.code).toBe(1);
  expect(audit.out).toContain('broken  march: 4 rows');
  expect(audit.out).toContain('1 rows are under way, but 0 attempts are live');
  expect(audit.out).toContain('broken  1 time: a recipient in progress has no live attempt');
  expect(audit.err).toMatch(/^carillon: The audit found 2 broken lines\. .+\n$/);
  expect((await term.type('audit --json')).json).toMatchObject({ ok: false, campaigns: [{ ok: false }] });
});
