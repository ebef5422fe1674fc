import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { bulkInput } from '../../../src/control/bulk/begin.ts';
import { callInput } from '../../../src/control/calls/read.ts';
import { orderInput } from '../../../src/control/order/order.ts';
import { limit, read, text, yes } from '../../../src/control/requests/input.ts';

const shape = z.strictObject({
  agent: text(5),
  limit,
  events: z
    .array(z.enum(['a', 'b']))
    .min(1)
    .max(2)
    .optional(),
  url: z.url().optional(),
  since: z.iso.datetime().optional(),
  share: z.number().gt(0).lt(1).optional(),
  either: z.union([z.number(), z.array(text(5))]).optional(),
  on: z.boolean().optional(),
  yes: yes.optional(),
  one: z.literal('x').optional(),
  map: z.record(z.string(), z.unknown()).optional(),
  code: z.string().regex(/^x$/).optional(),
  odd: z
    .string()
    .refine(() => false)
    .optional(),
});

const fields = 'agent, limit, events, url, since, share, either, on, yes, one, map, code, odd';

describe('a wrong request is refused in plain words', () => {
  it.each<[object | string, string]>([
    [{ agent: undefined }, 'agent is missing'],
    [{ agent: 7 }, 'agent must be text'],
    [{ agent: '' }, 'agent must not be empty'],
    [{ agent: 'abcdef' }, 'agent must have at most 5 characters'],
    [{ agent: 'a\n' }, 'agent contains a control character'],
    [{ limit: 'x' }, 'limit must be a whole number'],
    [{ limit: '1.5' }, 'limit must be a whole number'],
    [{ limit: 0 }, 'limit must be at least 1'],
    [{ limit: 1_001 }, 'limit must be at most 1000'],
    [{ events: ['c'] }, 'events.0 must be one of a, b'],
    [{ events: [] }, 'events must not be empty'],
    [{ events: ['a', 'b', 'a'] }, 'events must have at most 2 entries'],
    [{ events: 'a' }, 'events must be a list'],
    [{ url: 'x' }, 'url must be a URL such as https://example.com/path'],
    [{ since: 'x' }, 'since must be a time such as 2026-12-01T09:00:00Z'],
    [{ share: 0 }, 'share must be more than 0'],
    [{ share: 1 }, 'share must be less than 1'],
    [{ either: 'x' }, 'either must be a number or a list'],
    [{ either: [''] }, 'either.0 must not be empty'],
    [{ on: 'x' }, 'on must be true or false'],
    [{ yes: 'x' }, 'yes must be one of 0, 1, true, false'],
    [{ one: 'y' }, 'one must be x'],
    [{ map: [] }, 'map must be an object'],
    [{ code: 'y' }, 'code does not have the right form'],
    [{ odd: 'y' }, 'odd is not valid'],
    [
      { foo: 1, bar: 2 },
      `foo is not a field of this request; bar is not a field of this request, which takes ${fields}`,
    ],
    ['x', 'the request must be an object'],
  ])('%j', (given, words) => {
    const asked = typeof given === 'string' ? given : { agent: 'a', ...given };
    expect(() => read(shape, asked)).toThrow(expect.objectContaining({ message: words }));
  });

  it('tells each wrong field by itself, by its path', () => {
    expect(() => read(shape, { agent: 1, either: [''], foo: 1 })).toThrow(
      expect.objectContaining({
        issues: [
          { path: 'agent', code: 'invalid_type', message: 'must be text' },
          { path: 'either.0', code: 'too_small', message: 'must not be empty' },
          {
            path: 'foo',
            code: 'unrecognized_keys',
            message: `is not a field of this request, which takes ${fields}`,
          },
        ],
      }),
    );
  });

  it.each<[string, z.ZodType, object, string]>([
    ['of a call', callInput, { phone: '1' }, 'agent is missing'],
    ['of an order', orderInput, {}, 'agent is missing'],
    ['of an order’s list', orderInput, { agent: [1] }, 'agent.0 must be text'],
    ['of a bulk act', bulkInput, {}, 'act is missing'],
    ['of a bulk act by its name', bulkInput, { act: 'x' }, 'act must be one of retry, skip, '],
  ])('%s', (_, schema, given, words) => {
    expect(() => read(schema, given)).toThrow(words);
  });
});
