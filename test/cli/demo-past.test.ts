import { describe, expect, it } from 'vitest';
import { makePastCalls } from '../../src/cli/commands/demo/stay.ts';
import { auditLedger } from '../../src/control/ledger/audit.ts';
import { serveApi } from '../api/support.ts';

/** The demo's weeks gone by look like those of real calls, and add up. */
describe('the simulated past of the demo', () => {
  const api = serveApi();

  const make = async (name: string) => {
    const recipients = Array.from({ length: 60 }, (_, n) => ({ phone: `+141555501${String(n + 10)}` }));
    const order = { agent: 'a', max_attempts: 2, retry: { 'no-answer': '1d', busy: '1d' } };
    return (await api.ask('POST', '/api/campaigns', { body: { name, recipients, ...order } })).json.id;
  };
  const past = async (id: string) => {
    const [lane] = await api.app.ledger.lanes.list();
    return makePastCalls(api.app.ledger, id, { lane: lane!.id, zone: 'America/New_York', began: 7, days: 5 });
  };

  it('has reports by hour, a chart over its days and sums that agree', async () => {
    const id = await make('demo: past (simulated)');
    const calls = await past(id);
    expect(calls).toBeGreaterThan(60);
    for (let folded = 1; folded > 0; ) folded = await api.app.ledger.tallies.fold();
    const { json: shown } = await api.ask('GET', `/api/campaigns/${id}`);
    expect(shown.state).toBe('done');
    expect(Date.now() - Date.parse(shown.since)).toBeGreaterThan(86_400_000);
    expect(shown.balance).toMatchObject({ rows: 60, done: 60, waiting: 0, attempts: calls });
    const { json: report } = await api.ask('GET', `/api/campaigns/${id}/report?by=hour`);
    expect(report.items.length).toBeGreaterThan(5);
    const since = new Date(Date.now() - 8 * 86_400_000).toISOString();
    const { json: series } = await api.ask('GET', `/api/campaigns/${id}/series?step=day&since=${since}`);
    const days = series.items.filter((point: { calls: number }) => point.calls > 0);
    expect(days.length).toBeGreaterThanOrEqual(4);
    expect(days.reduce((sum: number, point: { calls: number }) => sum + point.calls, 0)).toBe(calls);
    const audit = await auditLedger(api.app.ledger);
    expect(audit.rules.filter(({ ok }) => !ok)).toEqual([]);
    expect(audit.campaigns.flatMap(({ faults }) => faults)).toEqual([]);
  });

  it('is made of nothing that does not say that it is simulated', async () => {
    const id = await make('a real list');
    expect(await past(id)).toBe(0);
    expect((await api.ask('GET', `/api/campaigns/${id}`)).json.balance.waiting).toBe(60);
  });
});
