import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { property, stringMatching } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLog, maskPhone } from '../../src/base/log.ts';
import { assert } from '../support/property.ts';

/** The log: levels, phones that cannot be dialled from it, and nothing on stdout. */
function collect(level = 'debug') {
  const lines: string[] = [];
  return { log: createLog(level, { write: (line) => void lines.push(line) }), lines };
}

describe('a masked phone', () => {
  it('can be recognised but not dialled', () => {
    const masked = maskPhone('call +14155550123 back');
    expect(masked).toMatch(/^call \+1415\D+\d{2,4} back$/);
    expect(masked).not.toContain('5550');
  });

  it('leaves the rest of the text as it was', () => {
    expect(maskPhone('2 + 2, +1, at 12:30, lane main')).toBe('2 + 2, +1, at 12:30, lane main');
  });

  it.each([
    ['+1 (415) 555-0123', '+1 (415•••23'],
    ['+44 20 7946 0958', '+44 20 7•••58'],
    ['0049 30 23125000', '0049 30 2•••00'],
    ['(415) 555-0123', '(415•••23'],
    ['415.555.0123', '415•••23'],
    ['1-415-555-0123', '1-415•••23'],
    ['4155550123', '415•••23'],
    ['01711234567', '0171•••67'],
    ['(415)555-0123', '(415•••23'],
    ['415 5550123', '415•••23'],
    ['020 7946 0958', '020 7•••58'],
    ['0171 123 45 67', '0171•••67'],
    ['06 12 34 56 78', '06 1•••78'],
    ['030/23125000', '030/2•••00'],
    ['(030) 23125-000', '(030) 2•••00'],
    ['+49 (0)30 23125000', '+49 (0)30 2•••00'],
    ['%2B14155550123', '%2B1415•••23'],
    ['sip:14155550123@10.0.0.1:5060', 'sip:1415•••23@10.0.0.1:5060'],
    ['tel:415-555-0123', 'tel:415•••23'],
    ['415\u2011555\u20110123', '415•••23'],
    ['+1 415 \u2013 555 \u2013 0123', '+1 415•••23'],
  ])('is masked as %s is written', (written, masked) => {
    expect(maskPhone(`the number ${written} is not in service`)).toBe(
      `the number ${masked} is not in service`,
    );
    expect(maskPhone(JSON.stringify({ to: written }))).toBe(JSON.stringify({ to: masked }));
  });

  it.each(['4155550123', '01711234567', '0171 123 45 67'])(
    'is masked as %s at the end of a part',
    (written) => {
      for (const end of ['.', '. Try later', ': not in service', ', and', '!', ''])
        expect(maskPhone(`cannot reach ${written}${end}`)).not.toContain(written);
    },
  );

  it.each([
    'room sip:1001@10.0.0.1:5060',
    '{"time":1732300000123,"bytes":5368709120,"pid":4155550123}',
    '2026-11-22T18:19:13.123Z',
    '2026-11-22 18:19:13',
    '678b4bfe-bd1a-4dab-b71b-220772202772',
    '127.0.0.1:5432',
    'version 10.255.1234, 0.4155550123 s',
    'on 09.12.2026, 08/12/2026 12:30 and 01-02-2026',
    '{"id":"call_0912345678","count":"12 345 678","rows":415,"of":5550123}',
  ])('is not seen in %s', (text) => {
    expect(maskPhone(text)).toBe(text);
  });

  it('is masked wherever it is, and so is each of several', () => {
    assert(
      property(
        stringMatching(/^\+[1-9]\d{7,14}$/),
        stringMatching(/^[a-z ",:{}]{0,10}$/),
        (phone, around) => {
          const masked = maskPhone(`${around}${phone}${around}${phone}${around}`);
          expect(masked).not.toContain(phone);
          expect(masked.replaceAll(/\d/g, '').length).toBeGreaterThan(masked.length / 4 - 8);
        },
      ),
    );
  });
});

describe('the log', () => {
  it('masks phones in messages, fields and nested fields', () => {
    const { log, lines } = collect();
    log.info({ phone: '+14155550123', call: { to: ['+442079460958'] } }, 'dialling +493023125000');
    log.child({ caller: '+33199001234' }).warn('again');
    const text = lines.join('');
    for (const digits of ['55550123', '79460958', '23125000', '99001234']) expect(text).not.toContain(digits);
    expect(text).toContain('dialling +4930');
  });

  it('masks phones in the errors that it is given', () => {
    const { log, lines } = collect();
    log.error({ err: new Error('+14155550123 is not in service') }, 'a create failed');
    expect(lines.join('')).not.toContain('55550123');
  });

  it('writes one JSON object a line, with the level as a word', () => {
    const { log, lines } = collect();
    log.warn({ lane: 'main' }, 'two\nlines');
    expect(lines).toHaveLength(1);
    expect(lines[0]!.indexOf('\n')).toBe(lines[0]!.length - 1);
    expect(JSON.parse(lines[0]!)).toMatchObject({
      level: 'warn',
      lane: 'main',
      msg: 'two\nlines',
      pid: process.pid,
    });
  });

  it('writes nothing below its level', () => {
    const { log, lines } = collect('warn');
    log.info('not shown');
    log.debug('not shown');
    expect(lines).toEqual([]);
    log.error('shown');
    expect(lines).toHaveLength(1);
    expect(collect('silent').lines).toEqual([]);
  });

  it('goes to stderr, so that stdout stays what was asked for', () => {
    const root = fileURLToPath(new URL('../..', import.meta.url));
    const script = `import('${root}src/base/log.ts').then(({ createLog }) => createLog('info').info('to +14155550123'));`;
    const run = spawnSync(process.execPath, ['--import', 'tsx', '-e', script], {
      cwd: root,
      encoding: 'utf8',
    });
    expect(run.stdout).toBe('');
    expect(run.stderr).toContain('to +1415');
    expect(run.stderr).not.toContain('55550123');
  });

  it('contains no host name and no environment', () => {
    const { log, lines } = collect();
    log.info('hello');
    expect(Object.keys(JSON.parse(lines[0]!)).sort()).toEqual(['level', 'msg', 'pid', 'time']);
  });
});
