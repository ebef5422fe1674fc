import { Writable } from 'node:stream';
import { WriteStream } from 'node:tty';
import { stripVTControlCharacters } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Outlook } from '../../src/cli/output/outlook.ts';
import { createProgress } from '../../src/cli/output/progress.ts';
import type { Standstill } from '../../src/rules/standstill.ts';
import type { Look } from '../../src/run/drive.ts';

/** The progress that people see while a campaign runs, on a screen with colours and on one without. */
beforeEach(() => {
  for (const name of ['NO_COLOR', 'FORCE_COLOR', 'NODE_DISABLE_COLORS', 'CI']) vi.stubEnv(name, undefined);
  vi.stubEnv('TERM', 'xterm-256color');
});
afterEach(() => vi.unstubAllEnvs());

const counts = { waiting: 6, queued: 1, calling: 2, parked: 1, unknown: 1, done: 4, rejected: 1, skipped: 0 };
const look = {
  standing: {
    campaign: 'spring',
    state: 'paused',
    reason: 'a person asked for it',
    rows: 16,
    requests: 40,
    redials: 0,
    counts,
    outcomes: { answered: 4 },
  },
  lanes: [],
  nextAt: null,
} as unknown as Look;

/** Draws twice, because the second time is drawn over the first. */
function draw(
  screenOf: { isTTY: boolean; columns?: number },
  shown = look,
  outlook: Outlook | null = null,
): string {
  let text = '';
  const screen = Object.assign(
    new Writable({
      write(chunk, _encoding, done) {
        text += chunk;
        done();
      },
    }),
    // The environment says how many colours a terminal shows.
    screenOf.isTTY ? { getColorDepth: () => WriteStream.prototype.getColorDepth.call(screen) } : {},
    screenOf,
  );
  const progress = createProgress({
    screen,
    limits: () => ({ rate: 10, learned: false }),
    outlook: () => outlook,
    now: () => 0,
  });
  progress.show(shown);
  progress.show(shown);
  return text;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal colours begin with an escape character
const colours = /\x1b\[\d*m/;

describe('the progress', () => {
  it('has colours on a terminal', () => {
    expect(draw({ isTTY: true, columns: 120 })).toContain('\x1b[33mpaused: a person asked for it\x1b[39m');
  });

  it('says why nobody is called, and what to do', () => {
    const standing = {
      ...look.standing,
      state: 'running',
      counts: { ...counts, queued: 0, calling: 0, parked: 0 },
    };
    const standstill = {
      cause: 'budget',
      message: 'its budget allows no further call: 8.40 spent and 3.77 reserved of 12.00',
      act: 'Settle 5 unknown calls (`carillon unknown list`), or raise its `max_cost`.',
    } as Standstill;
    const text = draw({ isTTY: false }, { ...look, standing } as Look, {
      forecast: null,
      waits: [],
      standstill,
    });
    expect(text).toContain(
      '3.77 reserved of 12.00. Settle 5 unknown calls (carillon unknown list), or raise its max_cost.',
    );
  });

  it('has no colour with NO_COLOR, shows the same words and is still drawn over itself', () => {
    const coloured = draw({ isTTY: true, columns: 120 });
    vi.stubEnv('NO_COLOR', '1');
    const plain = draw({ isTTY: true, columns: 120 });
    expect(plain).not.toMatch(colours);
    expect(plain).toContain('\x1b[4A');
    expect(stripVTControlCharacters(plain)).toBe(stripVTControlCharacters(coloured));
  });

  it('has colours with FORCE_COLOR on a terminal that claims to have none', () => {
    vi.stubEnv('TERM', 'dumb');
    expect(draw({ isTTY: true, columns: 120 })).not.toMatch(colours);
    vi.stubEnv('FORCE_COLOR', '1');
    expect(draw({ isTTY: true, columns: 120 })).toMatch(colours);
  });

  it('is plain lines without a terminal', () => {
    expect(draw({ isTTY: false })).not.toContain('\x1b');
  });

  it('is drawn over itself on a narrow terminal, and no word is broken', () => {
    const shown = [
      'failing: the service answered 400: the agent agent_123 is not one of this organization',
      'a person asked for it',
      'the service answered 500 to ten creates in a row, which is more than can be chance',
    ].map((reason) => ({ ...look, standing: { ...look.standing, reason, outcomes: ended } }));
    const seen = screenOf(shown, () => 60);
    const words = seen.join(' ').replace(/ +/g, ' ').trim();
    expect(words).toMatch(
      /^█+░+ 37% 6\/16 0.0 requests\/s of 10\/s waiting 6 queued 1 calling 2 parked 1 unknown 1 rejected 1 outcomes: answered 1,204, voicemail 310, no-answer 2,012, busy 40, failed 3 paused: the service answered 500 to ten creates in a row, which is more than can be chance$/,
    );
    expect(Math.max(...seen.map((line) => line.length))).toBeLessThan(60);
    expect(seen.filter((line) => line.includes('█'))).toHaveLength(1);
  });

  it('makes place for a line that comes while it is drawn', () => {
    const seen = screenOf([look, 'Watch it at http://127.0.0.1:3000', look], () => 60);
    expect(seen.filter((line) => line.includes('█'))).toHaveLength(1);
    expect(seen[0]).toBe('Watch it at http://127.0.0.1:3000');
  });

  it('leaves nothing behind where the terminal becomes narrower while it runs', () => {
    const widths = [120, 48, 70];
    const seen = screenOf([look, look, look] as Look[], (nth) => widths[nth]!);
    expect(seen.filter((line) => line.includes('█'))).toHaveLength(1);
    expect(seen.filter((line) => line.includes('paused'))).toEqual(['paused: a person asked for it']);
  });
});

const ended = { answered: 1_204, voicemail: 310, 'no-answer': 2_012, busy: 40, failed: 3 };

/** The text on a terminal of so many columns at the end: lines that are too long for it are broken, as it does. */
function screenOf(looks: readonly unknown[], columnsAt: (nth: number) => number): string[] {
  let lines = [''];
  const screen = Object.assign(
    new Writable({
      write(chunk, _encoding, done) {
        const columns = screen.columns;
        // It breaks what stands there again when it becomes narrower.
        lines = lines.flatMap((line) => line.match(new RegExp(`.{1,${columns}}`, 'gu')) ?? ['']);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: how a terminal moves begins with an escape character
        const [, up = '0', text] = /^(?:\x1b\[(\d+)A\x1b\[J)?([\s\S]*)$/.exec(String(chunk))!;
        lines = lines.slice(0, lines.length - 1 - Number(up));
        const written = stripVTControlCharacters(text!).split('\n');
        lines.push(...written.flatMap((line) => line.match(new RegExp(`.{1,${columns}}`, 'gu')) ?? ['']));
        done();
      },
    }),
    { isTTY: true, columns: columnsAt(0), getColorDepth: () => 1 },
  );
  const progress = createProgress({
    screen,
    limits: () => ({ rate: 10, learned: false }),
    outlook: () => null,
    now: () => 0,
  });
  for (const [nth, each] of looks.entries()) {
    screen.columns = columnsAt(nth);
    if (typeof each === 'string') {
      progress.clear();
      screen.write(`${each}\n`);
    } else progress.show(each as Look);
  }
  return lines;
}
