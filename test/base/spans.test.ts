import { describe, expect, it } from 'vitest';
import {
  noSpan,
  plannedAtOf,
  spanApart,
  spanHere,
  spanOf,
  validTraceparent,
  within,
} from '../../src/base/spans.ts';
import { asJob, endAttempt } from '../../src/dispatch/spans.ts';
import { beginRequest } from '../../src/http/exchange.ts';
import { done } from '../../src/queues/job.ts';

const attempt = '019a21ab-795f-73bc-b3ae-cbbf4ea6bcf9';

describe('without an SDK', () => {
  it('every span is the same one, which holds nothing', async () => {
    const request = { method: 'POST', origin: 'http://a.example', template: '/call' };
    expect([
      spanOf(attempt, 'a'),
      spanApart('a'),
      spanHere('a'),
      beginRequest(request),
      noSpan.begin('a'),
    ]).toEqual(Array.from({ length: 5 }, () => noSpan));
    expect(beginRequest(request, noSpan)).toBe(noSpan);
    expect(noSpan.traceparent).toBeNull();
    const given = await asJob('dial', { name: 'main' }, attempt, (span) =>
      span.part('b', async (part) => {
        expect([span, part]).toEqual([noSpan, noSpan]);
        return done;
      }),
    );
    expect(given).toBe(done);
    endAttempt({ id: attempt, number: 1, campaignId: '', earlier: [] }, 'main', 'answered');
  });

  it('what is thrown passes through', async () => {
    const work = () => within(noSpan, () => Promise.reject(new Error('as it was')));
    await expect(work).rejects.toThrow('as it was');
  });
});

it('an attempt’s id tells when it was planned, if it has the form with the time', () => {
  expect(new Date(plannedAtOf(attempt)!).toISOString()).toBe('2025-10-26T17:57:57.215Z');
  expect(plannedAtOf('0b1d3c5e-7a9b-4c8d-9e0f-1a2b3c4d5e6f')).toBeUndefined();
});

const valid = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

it.each([
  [valid, valid],
  ['00-00000000000000000000000000000000-b7ad6b7169203331-01', null],
  ['00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01', null],
  [valid.toUpperCase(), null],
  [`${valid}-more`, null],
  [`${valid}\r\nx-key: 1`, null],
  ['', null],
  [undefined, null],
  [[valid], null],
])('a traceparent is kept only if it is valid: %s', (given, kept) => {
  expect(validTraceparent(given)).toBe(kept);
});
