import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { catalogue, type ErrorCode, exitOf } from '../../src/base/error-catalogue.ts';
import { CarillonError, errorLine } from '../../src/base/errors.ts';

/** The catalogue of errors, and the docs that must match it. */
const codes = Object.keys(catalogue) as ErrorCode[];

describe('the catalogue of errors', () => {
  it('is in the docs, entry by entry and in the same order', () => {
    const docs = readFileSync(new URL('../../docs/reference/errors.md', import.meta.url), 'utf8');
    const rows = docs
      .split('\n')
      .filter((line) => /^\| `[a-z-]+` +\|/.test(line))
      .map((line) => line.replace(/ +/g, ' '));
    const wanted = codes.map((code) => {
      const { title, status } = catalogue[code];
      return `| \`${code}\` | ${title} | ${exitOf(code)} | ${status} |`;
    });
    expect(rows).toEqual(wanted);
  });

  it.each(codes)('has an entry that reads as one line: %s', (code) => {
    const { title, remedy } = catalogue[code];
    expect(code).toMatch(/^[a-z]+(-[a-z]+)*$/);
    expect(title).toMatch(/^[A-Z][^\n|]*[^.\s|]$/);
    expect(remedy).toMatch(/^[A-Z][^\n|]*\.$/);
  });

  it.each(codes)('has an exit code that fits its status: %s', (code) => {
    const { status } = catalogue[code];
    expect(status).toBeGreaterThanOrEqual(400);
    // A 4xx is the caller's to fix: never "unexpected".
    if (status < 500) expect(exitOf(code)).toBe(2);
  });
});

describe('a CarillonError', () => {
  it('takes from the catalogue what it is not given', () => {
    const error = new CarillonError('key-unknown');
    expect(error).toMatchObject({
      name: 'CarillonError',
      code: 'key-unknown',
      message: catalogue['key-unknown'].title,
      remedy: catalogue['key-unknown'].remedy,
      exit: 2,
      status: 404,
    });
  });

  it('keeps its own words, remedy and cause', () => {
    const cause = new Error('below');
    const error = new CarillonError('file-broken', 'list.csv is cut', { remedy: 'Copy it again.', cause });
    expect(error).toMatchObject({ message: 'list.csv is cut', remedy: 'Copy it again.', cause, exit: 2 });
  });
});

describe('the line for stderr', () => {
  it('says what happened, then what to do', () => {
    const error = new CarillonError('campaign-unknown', 'The campaign spring was not found');
    expect(errorLine(error)).toBe(
      'The campaign spring was not found. Run `carillon campaign list` to see the names.',
    );
  });

  it('is one line, whatever the message was', () => {
    expect(errorLine(new CarillonError('service-answer', ' a\n\tb.. \n', { remedy: 'Do it.' }))).toBe(
      'a b. Do it.',
    );
    expect(errorLine(new Error('first\nsecond'))).toMatch(/^first second\. \S/);
  });

  it('contains no stack and no cause', () => {
    const line = errorLine(new CarillonError('unexpected', 'it broke', { cause: new Error('deep inside') }));
    expect(line).not.toContain('deep inside');
    expect(line).not.toContain('errors.test');
  });

  it('accepts a value that is not an error', () => {
    expect(errorLine('plain text.')).toMatch(/^plain text\. \S/);
    expect(errorLine(new TypeError())).toMatch(/^TypeError\. \S/);
    expect(errorLine(undefined)).toMatch(/^undefined\. \S/);
  });
});
