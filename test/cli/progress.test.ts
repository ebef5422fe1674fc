import { Writable } from 'node:stream';
import { WriteStream } from 'node:tty';
import { stripVTControlCharacters } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createProgress } from '../../src/cli/output/progress.ts';
import type { Look } from '../../src/run/drive.ts';

/** What people see while a campaign runs, on a screen with colours and on one without. */
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
function draw(screenOf: { isTTY: boolean; columns?: number }): string {
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
    glance: () => null,
    now: () => 0,
  });
  progress.show(look);
  progress.show(look);
  return text;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal colours begin with an escape character
const colours = /\x1b\[\d*m/;

describe('the progress', () => {
  it('has colours on a terminal', () => {
    expect(draw({ isTTY: true, columns: 120 })).toContain('\x1b[33mpaused: a person asked for it\x1b[39m');
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

  it('is cut to a narrow terminal, and no colour continues after the cut', () => {
    const coloured = draw({ isTTY: true, columns: 56 });
    for (const line of coloured.split('\n')) expect(stripVTControlCharacters(line).length).toBeLessThan(56);
    expect(coloured).toContain('\x1b[0m\n');
    vi.stubEnv('NO_COLOR', '1');
    const plain = draw({ isTTY: true, columns: 56 });
    expect(stripVTControlCharacters(plain)).toBe(stripVTControlCharacters(coloured));
    expect(plain).not.toMatch(colours);
  });
});
