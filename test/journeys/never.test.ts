import { describe, expect } from 'vitest';
import { summaryOf } from '../support/carillon.ts';
import { asked, expectSound } from '../support/journeys.ts';
import { it } from './desk.ts';

/**
 * Rows for which the window is never open. A number that is toll-free in all of North America belongs to forty time
 * zones, from Guam to Newfoundland. A number that is toll-free everywhere belongs to none.
 */
const tollFree = ['+18005550199', '+80012345678'];
const reachable = '+14155550101';
const window = ['--window', '10:00-18:00'];
/** A zone in which it is early afternoon now. */
const awake = zoneAtHour(14);
const list = `phone,name,timezone\n${tollFree[0]},Desk,\n${reachable},Ann,${awake}\n${tollFree[1]},Line,\n`;
const args = ['run', 'people.csv', '--agent', 'agent_1', '--json'];

describe.concurrent('a row that can never be called', () => {
  it('is rejected with the reason before anybody is called, in the dry run too, and the run ends', async ({
    openDesk,
  }) => {
    const desk = await openDesk('postgres', { speed: 600 });
    desk.write('people.csv', list);
    const dry = await desk.type([...args, ...window, '--dry-run']);
    expect(dry.code, dry.stderr).toBe(0);
    expect(summaryOf(dry)).toMatchObject({ rows: 3, rejected: 2, waiting: 1 });
    const shown = await desk.type(['run', 'people.csv', '--agent', 'agent_1', ...window, '--dry-run']);
    expect(shown.stdout).toMatch(
      /line 2: can never be called: the window is never open in all \d+ time zones/,
    );
    expect(shown.stdout).toMatch(/line 4: can never be called: its number belongs to no place/);
    const ran = await desk.type([...args, ...window]);
    expect(ran.code, ran.stderr).toBe(0);
    expect(summaryOf(ran)).toMatchObject({ rows: 3, rejected: 2, done: 1, waiting: 0 });
    expect([...asked(desk).keys()]).toEqual([reachable]);
    const rejected = desk.table('people.results.rejected.csv');
    expect(rejected.map((row) => [row.line, /^can never be called: /.test(row.reason!)])).toEqual([
      ['2', true],
      ['4', true],
    ]);
    await expectSound(desk);
  });

  it('is called if it has its own time zone, or if the order has no window', async ({ openDesk }) => {
    const desk = await openDesk('postgres', { speed: 600 });
    desk.write('people.csv', list.replace('Desk,', `Desk,${awake}`).replace('Line,', `Line,${awake}`));
    const ran = await desk.type([...args, ...window]);
    expect(summaryOf(ran), ran.stderr).toMatchObject({ rows: 3, rejected: 0, done: 3 });
    desk.write('more.csv', 'phone\n+18005550177\n');
    const always = await desk.type(['run', 'more.csv', '--agent', 'agent_1', '--json']);
    expect(summaryOf(always), always.stderr).toMatchObject({ rows: 1, rejected: 0, done: 1 });
  });

  it('that was accepted before the window was given is skipped with the reason and counted once', async ({
    openDesk,
  }) => {
    const desk = await openDesk('postgres', { speed: 600 });
    desk.write('people.csv', `phone,timezone\n${reachable},${awake}\n${tollFree[0]},\n${tollFree[1]},\n`);
    const first = await desk.type([...args, '--limit', '1']);
    expect(summaryOf(first), first.stderr).toMatchObject({ rows: 3, done: 1, waiting: 2 });
    const second = await desk.type([...args, ...window]);
    expect(second.code, second.stderr).toBe(0);
    expect(summaryOf(second)).toMatchObject({ rows: 3, rejected: 0, done: 1, skipped: 2, waiting: 0 });
    for (const row of desk.table('people.results.csv').slice(1)) {
      expect(row).toMatchObject({
        state: 'skipped',
        error: expect.stringMatching(/^can never be called: /),
      });
    }
    // Without the window they are called.
    const third = await desk.type(args);
    expect(summaryOf(third), third.stderr).toMatchObject({ rows: 3, done: 3, skipped: 0 });
    await expectSound(desk);
  });
});

function zoneAtHour(hour: number): string {
  const ahead = hour - new Date().getUTCHours();
  // In the names of these zones, plus means behind UTC.
  return ahead === 0 ? 'UTC' : `Etc/GMT${ahead > 0 ? '-' : '+'}${Math.abs(ahead)}`;
}
