import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLog } from '../../src/base/log.ts';
import { oneLine, printable, printableJson } from '../../src/base/terminal-safe.ts';
import { factLines, tableLines } from '../../src/cli/terminal/table.ts';
import { assert } from '../support/property.ts';

/**
 * Characters that a terminal obeys: control characters of both sets, and those that turn the direction of
 * text around.
 */
const obeyed = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;
const hostile = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        '\x1b[2J',
        '\x1b]0;title\x07',
        '\x9b31m',
        '\x90q\x9c',
        '\r',
        '\n',
        '\u202e',
        '\u2066',
        '\x7f',
      ),
    ),
  )
  .map((parts) => parts.join(''));

describe('text of others', () => {
  it('holds nothing that a terminal obeys, and newlines only where they are wanted', () => {
    assert(
      fc.property(hostile, (text) => {
        expect(printable(text).replace(/[\n\t]/g, '')).not.toMatch(obeyed);
        expect(oneLine(text)).not.toMatch(obeyed);
      }),
    );
  });

  it('in JSON means the same', () => {
    assert(
      fc.property(hostile, (text) => {
        const json = printableJson(JSON.stringify({ text }));
        expect(json).not.toMatch(obeyed);
        expect(JSON.parse(json)).toEqual({ text });
      }),
    );
  });

  it('stays as it is where there is nothing to obey', () => {
    for (const text of ['Zoë Ωμέγα 王小明 שלום', 'a\n\tb', '👩‍🚀', 'a\r\nb']) {
      expect(printable(text)).toBe(text.replace('\r', ''));
    }
    expect(printable('a\x1b[8mb')).toBe('a\\u001b[8mb');
  });

  it('makes neither a row of a table nor a fact', () => {
    expect(tableLines(['name', 'state'], [['Ann\nBob  done', 'waiting']])).toEqual(
      ['name           state', 'Ann Bob  done  waiting'].map((line, at) =>
        at === 0 ? expect.stringMatching(/^name +state$/) : line,
      ),
    );
    expect(factLines([['name', 'Ann\nstate  done']])).toEqual(['name  Ann\n      state  done']);
  });

  it('reaches no log', () => {
    const lines: string[] = [];
    const log = createLog('info', { write: (line: string) => void lines.push(line) });
    log.info({ why: 'a\x9b2Jb\u202ec\x1bd' }, 'it said \x9bm');
    expect(lines).toHaveLength(1);
    expect(lines[0]!.trimEnd()).not.toMatch(obeyed);
    expect(lines[0]).toMatch(/\}\n$/);
    expect(JSON.parse(lines[0]!)).toMatchObject({ why: 'a\x9b2Jb\u202ec\x1bd', msg: 'it said \x9bm' });
  });
});
