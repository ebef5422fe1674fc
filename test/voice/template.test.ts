import { describe, expect, it, test } from 'vitest';
import { fill, fillPath, fillQuery, placesIn } from '../../src/voice/template.ts';

const places = {
  phone: '+14155550123',
  name: 'Ann',
  count: 3,
  off: false,
  variables: { city: 'Bonn', age: 7, member: true, tags: ['a'], none: null, empty: '' },
  nothing: null,
  blank: '',
  'agent.ref': 'r-1',
};

describe('a place', () => {
  it('alone is its value in its own type', () => {
    expect(fill('{count}', places)).toBe(3);
    expect(fill('{off}', places)).toBe(false);
    expect(fill('{variables}', places)).toBe(places.variables);
    expect(fill('{agent.ref}', places)).toBe('r-1');
  });

  it('is text inside other text', () => {
    expect(fill('{name}: {count} at {phone}', places)).toBe('Ann: 3 at +14155550123');
    expect(fill('Hello {name}, {blank}', places)).toBeUndefined();
  });

  it('is left out when it is empty, with what holds nothing else', () => {
    for (const name of ['nothing', 'blank', 'absent']) expect(fill(`{${name}}`, places)).toBeUndefined();
    expect(fill({ a: '{nothing}', b: { c: '{blank}', d: ['{absent}'] } }, places)).toBeUndefined();
    expect(fill({ a: '{nothing}', b: { c: '{name}', d: ['{absent}', 1] } }, places)).toEqual({
      b: { c: 'Ann', d: [1] },
    });
  });

  it('is no more than a value: what it holds is not filled again', () => {
    expect(fill({ a: '{name}' }, { name: '{phone}', phone: 'x' })).toEqual({ a: '{phone}' });
    expect(fill('{a} {b}', { a: '{b}', b: '$&' })).toBe('{b} $&');
  });
});

test('a node without places is sent as it is', () => {
  const node = { a: null, b: false, c: 0, d: '', e: [], f: {}, g: 'a {Name} {', h: [null] };
  expect(fill(node, places)).toEqual(node);
});

test('the name of a field may hold a place', () => {
  expect(fill({ '{name}-x': 1, '{nothing}': 2, '{count}': 3 }, places)).toEqual({ 'Ann-x': 1 });
});

test('a name such as __proto__ is only a name', () => {
  const spread = JSON.parse('{"__proto__": {"admin": true}}');
  const filled = fill({ $spread: '{spread}', b: 1 }, { spread }) as Record<string, unknown>;
  expect(JSON.stringify(filled)).toBe('{"__proto__":{"admin":true},"b":1}');
  expect(filled.admin).toBeUndefined();
});

describe('$spread', () => {
  it('lays the other fields over the object, and objects over objects', () => {
    const override = { voice: 'ada', variables: { city: 'Rome', plan: 'a' }, keep: null };
    expect(
      fill({ $spread: '{override}', variables: { city: '{city}' } }, { override, city: 'Bonn' }),
    ).toEqual({
      voice: 'ada',
      variables: { city: 'Bonn', plan: 'a' },
      keep: null,
    });
    expect(fill({ $spread: '{override}', variables: '{text}' }, { override, text: 'x' })).toMatchObject({
      variables: 'x',
    });
    expect(override.variables).toEqual({ city: 'Rome', plan: 'a' });
  });

  it('of a list lays each over the one before', () => {
    expect(fill({ $spread: [{ a: 1, b: 1 }, '{over}', '{nothing}'], c: 3 }, { over: { b: 2 } })).toEqual({
      a: 1,
      b: 2,
      c: 3,
    });
  });

  it('of nothing is left out', () => {
    expect(fill({ $spread: '{nothing}' }, places)).toBeUndefined();
    expect(fill({ $spread: '{name}', a: '{nothing}' }, places)).toBeUndefined();
    expect(fill({ a: { $spread: '{nothing}' }, b: 1 }, places)).toEqual({ b: 1 });
  });
});

describe('$as', () => {
  test.each([
    ['texts', '{variables}', { city: 'Bonn', age: '7', member: 'true', tags: '["a"]', empty: '' }],
    ['scalars', '{variables}', { city: 'Bonn', age: 7, member: true, tags: '["a"]', empty: '' }],
    [
      'pairs',
      '{variables}',
      [
        { key: 'city', value: 'Bonn' },
        { key: 'age', value: '7' },
        { key: 'member', value: 'true' },
        { key: 'tags', value: '["a"]' },
      ],
    ],
    ['json', { a: '{count}' }, '{"a":3}'],
    ['text', '{count}', '3'],
    ['text', '{name}', 'Ann'],
    ['digits', '{phone}', '14155550123'],
    ['integer', '17', 17],
    ['integer', '17a', '17a'],
    ['integer', '-3', '-3'],
    ['integer', '12345678901234567890', '12345678901234567890'],
    ['texts', 'no object', 'no object'],
    ['text', '{nothing}', undefined],
    ['pairs', '{nothing}', undefined],
  ])('%s of %j is %j', ($as, of, expected) => {
    expect(fill({ $as, of }, places)).toEqual(expected);
  });
});

test('$most cuts text, and not through a character', () => {
  expect(fill({ $most: 2, of: '{name}' }, places)).toBe('An');
  expect(fill({ $most: 3, of: '{name}' }, places)).toBe('Ann');
  expect(fill({ $most: 2, of: '{count}' }, places)).toBe(3);
  expect((fill({ $most: 2, of: 'a😀' }, {}) as string).isWellFormed()).toBe(true);
  expect(fill({ $most: 2, of: '{nothing}' }, places)).toBeUndefined();
});

test('$first takes the first that is not empty', () => {
  expect(fill({ $first: ['{nothing}', '{blank}', '{off}', '{name}'] }, places)).toBe(false);
  expect(fill({ $first: ['{nothing}', { a: '{blank}' }, 'else'] }, places)).toBe('else');
  expect(fill({ $first: ['{nothing}'] }, places)).toBeUndefined();
});

test('$choose takes the field that the text names, or the rest', () => {
  const node = { $choose: '{kind}', a: { is: '{name}' }, '*': 'other' };
  expect(fill(node, { ...places, kind: 'a' })).toEqual({ is: 'Ann' });
  expect(fill(node, { kind: 'toString' })).toBe('other');
  expect(fill(node, {})).toBe('other');
  expect(fill({ $choose: '{kind}', a: 1 }, { kind: 'b' })).toBeUndefined();
});

test('in a path each place is one segment, whatever it holds', () => {
  const path = (call: unknown) => fillPath('/call/{call}/end', { call });
  expect(path('c-1')).toBe('/call/c-1/end');
  expect(path('a/b?c#d')).toBe('/call/a%2Fb%3Fc%23d/end');
  expect(path('..')).toBe('/call/%2E%2E/end');
  expect(path('.')).toBe('/call/%2E/end');
  expect(path('ü \ud800')).toBe('/call/%C3%BC%20%EF%BF%BD/end');
  expect(path(17)).toBe('/call/17/end');
  for (const empty of ['', null, undefined]) expect(path(empty)).toBeNull();
  expect(fillPath('/call', {})).toBe('/call');
});

test('a query has what is not empty', () => {
  const query = { limit: '{limit}', after: '{cursor}', kind: 'out & in', ids: { $as: 'json', of: '{ids}' } };
  expect(fillQuery(query, { limit: 5 })).toBe('?limit=5&kind=out+%26+in');
  expect(fillQuery(query, { limit: 0, cursor: 'a=b', ids: ['x'] })).toBe(
    '?limit=0&after=a%3Db&kind=out+%26+in&ids=%5B%22x%22%5D',
  );
  expect(fillQuery({ a: '{nothing}' }, places)).toBe('');
  expect(fillQuery(undefined, places)).toBe('');
});

test('the places of a node are found, each with the fields that lead to it', () => {
  const node = {
    to: '{phone}',
    person: { name: { $most: 40, of: '{name}' }, vars: { $as: 'texts', of: '{variables}' } },
    list: ['{a} and {b}'],
    '{key}': 1,
    from: { $choose: '{settings.provider}', twilio: '{caller.phone}' },
    over: { $spread: '{override}' },
  };
  const found = placesIn(node).map(({ name, path }) => `${path.join('/')}: ${name}`);
  expect(found).toEqual([
    'to: phone',
    'person/name: name',
    'person/vars: variables',
    'list: a',
    'list: b',
    ': key',
    'from: settings.provider',
    'from: caller.phone',
    'over: override',
  ]);
  expect(placesIn(7)).toEqual([]);
});
