import { describe, expect } from 'vitest';
import { people, summaryOf } from '../support/carillon.ts';
import { worstOverrun } from '../support/journeys.ts';
import { emptyDatabase } from '../support/postgres.ts';
import { it } from './desk.ts';

/** A whole campaign on one engine: what the user reads, what the service saw and what the ledger holds must agree. */
export function campaignJourney(engine: 'postgres' | 'redis'): void {
  describe(`a campaign of 400 on the ${engine} engine`, () => {
    it('ends with every row accounted for, nobody called twice and the limit kept', async ({ openDesk }) => {
      const rate = 200;
      const desk = await openDesk(engine, { rate }, emptyDatabase);
      desk.write('people.csv', people(400));
      const ended = await desk.run(['run', 'people.csv', '--agent', 'agent_1', '--json'], {
        VOICE_RATE: `${rate}`,
      });
      expect(ended.code, ended.stderr).toBe(0);
      const summary = summaryOf(ended);
      expect(summary).toMatchObject({
        campaign: 'people',
        rows: 400,
        done: 400,
        attempts: 400,
        rejected: 0,
      });

      // The service's journal.
      const state = desk.sim.state();
      expect(state.created).toBe(400);
      expect(state.duplicates).toBe(0);
      expect([...desk.created().values()].every((times) => times === 1)).toBe(true);
      expect(state.requests).toBe(summary.requests);
      expect(worstOverrun([...desk.sim.journal()], rate)).toBeLessThanOrEqual(rate * 0.25);
      expect(state.requests / summary.seconds).toBeLessThanOrEqual(rate);
      expect(state.answers['429']).toBeUndefined();
      const polls = [...desk.sim.journal({ method: 'GET' })].filter((entry) =>
        entry.path.includes('/call/'),
      ).length;
      expect(polls).toBe(summary.polls);

      // Every fate occurred, and the service, the summary and the file agree on it.
      const outcomes = summary.outcomes;
      expect(Object.keys(outcomes).sort()).toEqual(['answered', 'busy', 'failed', 'no-answer', 'voicemail']);
      expect(outcomes.answered).toBe(state.ended.completed);
      for (const name of ['no-answer', 'voicemail', 'busy', 'failed'] as const)
        expect(outcomes[name]).toBe(state.ended[name]);
      const rows = desk.table('people.results.csv');
      expect(rows).toHaveLength(400);
      const counted: Record<string, number> = {};
      for (const row of rows) counted[row.outcome!] = (counted[row.outcome!] ?? 0) + 1;
      expect(counted).toEqual(outcomes);
      expect(rows.map((row) => Number(row.row))).toEqual(rows.map((_, i) => i + 2));
      const calls = new Map(
        [...desk.sim.journal({ method: 'POST' })].map((entry) => [entry.phone, entry.call]),
      );
      for (const row of rows) expect(row.call_id).toBe(calls.get(row.phone!));
      const cost = rows.reduce((sum, row) => sum + Number(row.cost), 0);
      expect(cost).toBeCloseTo(summary.cost!, 4);
      const answered = rows.filter((row) => row.outcome === 'answered');
      expect(answered.every((row) => row.transcript && row.recording_url && row.structured_data)).toBe(true);

      const audit = await desk.run(['audit', '--json']);
      expect(audit.code, audit.stderr).toBe(0);

      // A second run finds nothing left: nobody is called, and the results are written again.
      const again = await desk.run(['run', 'people.csv', '--agent', 'agent_1', '--json']);
      expect(again.code, again.stderr).toBe(0);
      expect(summaryOf(again)).toMatchObject({ rows: 400, done: 400, outcomes });
      expect(desk.sim.state().created).toBe(400);
    });

    it('survives Ctrl-C and a kill, and calls nobody twice', async ({ openDesk }) => {
      const desk = await openDesk(engine, { rate: 100, latencyMs: 20 });
      const args = ['run', 'people.csv', '--agent', 'agent_1', '--json'];
      // The attempt of the killed run becomes unknown once its request can no longer be answered.
      const env = { VOICE_RATE: '100', VOICE_TIMEOUT_MS: '2000' };
      const accepted = async (count: number) => {
        while (desk.sim.state().created < count) await new Promise((resolve) => setTimeout(resolve, 20));
      };
      desk.write('people.csv', people(300));
      const first = desk.start(args, env);
      await accepted(60);
      first.child.kill('SIGINT');
      const interrupted = await first.ended;
      expect(interrupted.code, interrupted.stderr).toBe(130);
      expect(interrupted.stderr).toMatch(/nothing was lost/);
      const after = summaryOf(interrupted);
      expect(after).toMatchObject({ rows: 300, unknown: 0, queued: 0 });
      expect(after.attempts).toBe(desk.sim.state().created);

      const second = desk.start(args, env);
      await accepted(150);
      second.child.kill('SIGKILL');
      await second.ended;

      const third = await desk.run(args, env);
      const summary = summaryOf(third);
      expect([0, 3], third.stderr).toContain(third.code);
      // Only attempts between commit and answer when the process died are unknown.
      expect(summary.done + summary.unknown).toBe(300);
      expect(summary.unknown).toBeLessThanOrEqual(64);
      expect(third.code).toBe(summary.unknown > 0 ? 3 : 0);
      const state = desk.sim.state();
      expect(state.duplicates).toBe(0);
      const unknown = new Set(
        desk
          .table('people.results.csv')
          .filter((row) => row.state === 'unknown')
          .map((row) => row.phone!),
      );
      for (const [phone, times] of desk.created()) expect(times, phone).toBe(1);
      expect(state.created).toBeGreaterThanOrEqual(summary.done);
      expect(state.created).toBeLessThanOrEqual(summary.done + unknown.size);
      const audit = await desk.run(['audit', '--json']);
      expect(audit.code, audit.stdout).toBe(0);
    });
  });
}
