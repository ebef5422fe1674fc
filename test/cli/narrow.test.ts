import { describe, expect, it, vi } from 'vitest';
import { waitsLine } from '../../src/cli/output/outlook-words.ts';
import { localTimes, tableLines, timeText } from '../../src/cli/terminal/table.ts';
import { seenWidth, wrapLine } from '../../src/cli/terminal/wrap.ts';

/** The output that a person reads on a terminal of 60 columns. */
const width = 60;

describe('a long line', () => {
  const long =
    '12 unknown: could not confirm whether these calls were placed. They will not be retried, so look at them';

  it('is broken between words', () => {
    const lines = wrapLine(long, width);
    expect(lines.length).toBe(2);
    expect(lines.join(' ')).toBe(long);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(width);
    expect(wrapLine('short', width)).toEqual(['short']);
  });

  it('continues under its text where it begins with a label', () => {
    const lines = wrapLine(`Order      ${long}`, width);
    expect(lines.slice(1).every((line) => /^ {11}\S/.test(line))).toBe(true);
    expect(wrapLine(`  ${long}`, width).every((line) => /^ {2}\S/.test(line))).toBe(true);
  });

  it('keeps a command in one piece, so that it can be copied', () => {
    const again = 'carillon run people.csv --agent agent_123 --window 09:00-20:00 --first 20';
    expect(wrapLine(`Interrupted; nothing was lost. Resume with: ${again}`, width)).toEqual([
      'Interrupted; nothing was lost. Resume with:',
      again,
    ]);
    const quoted = '`carillon campaign add march people.csv`';
    expect(wrapLine(`march is a draft without people. Add them with ${quoted}.`, width)).toContain(
      `${quoted}.`,
    );
  });

  it('counts what is seen: no colours, and characters of two columns as two', () => {
    expect(seenWidth('\x1b[31mred\x1b[0m')).toBe(3);
    expect(seenWidth('電話 ok')).toBe(7);
    for (const line of wrapLine('電話 '.repeat(30).trim(), width))
      expect(seenWidth(line)).toBeLessThanOrEqual(width);
  });
});

describe('a table', () => {
  const header = ['KEY', 'STATE', 'CALLING', 'WHY'];
  const why = 'the service answered 401 to a create: this key is not known here';

  it('that fits is a table, and the text at its end continues below itself', () => {
    const lines = tableLines(header, [['main', 'not accepted', 12, why]], width);
    expect(lines[0]).toBe('KEY   STATE         CALLING  WHY');
    expect(lines[1]).toMatch(/^main {2}not accepted {7}12 {2}the service/);
    for (const line of lines.slice(2)) expect(line).toMatch(/^ {29}\S/);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(width);
    expect(tableLines(header, [['main', 'not accepted', 12, why]])).toHaveLength(2);
  });

  it('that does not fit tells each row by its named values', () => {
    const wide = ['SINCE', 'NEXT PROBE', ...header];
    const times = ['2026-03-01 13:03:11+01:00', '2026-03-01 13:04:11+01:00'];
    const lines = tableLines(
      wide,
      [
        [...times, 'main', 'open', 1, null],
        [...times, 'spare', 'open', 2, null],
      ],
      width,
    );
    expect(lines).toEqual([
      `SINCE       ${times[0]}`,
      `NEXT PROBE  ${times[1]}`,
      'KEY         main',
      'STATE       open',
      'CALLING     1',
      '',
      `SINCE       ${times[0]}`,
      `NEXT PROBE  ${times[1]}`,
      'KEY         spare',
      'STATE       open',
      'CALLING     2',
    ]);
  });
});

describe('a time', () => {
  const noon = new Date('2026-03-01T12:00:00Z');

  it.each([
    ['UTC', '2026-03-01 12:00:00Z'],
    ['Europe/Berlin', '2026-03-01 13:00:00+01:00'],
    ['Asia/Kolkata', '2026-03-01 17:30:00+05:30'],
    ['America/St_Johns', '2026-03-01 08:30:00-03:30'],
    ['Pacific/Kiritimati', '2026-03-02 02:00:00+14:00'],
  ])('is told on the clock of this computer, with its distance from UTC: %s', (zone, text) => {
    vi.stubEnv('TZ', zone);
    expect(timeText(noon)).toBe(text);
    expect(new Date(timeText(noon))).toEqual(noon);
    expect(localTimes('from 2026-03-01T12:00:00.000Z on')).toBe(`from ${text} on`);
  });

  it('stays as it is where it is to be copied', () => {
    vi.stubEnv('TZ', 'Asia/Kolkata');
    const remedy = 'run `carillon ledger confirm --lost-since 2026-03-01T12:00:00Z`';
    expect(localTimes(remedy)).toBe(remedy);
  });

  it('of a window is told on this clock, and on that of the person where it is another', () => {
    const wait = (zone: string) => {
      vi.stubEnv('TZ', zone);
      return waitsLine(
        [{ reason: 'window', n: 3, until: new Date('2026-03-01T15:00:00Z'), place: 'America/Chicago' }],
        noon.getTime(),
      );
    };
    expect(wait('Europe/Berlin')).toBe('3 wait for 16:00:00+01:00 (09:00 in America/Chicago)');
    expect(wait('America/Chicago')).toBe('3 wait for 09:00:00-06:00');
  });
});
