import { expect, test } from 'vitest';
import { parseFault } from '../../simulator/faults.ts';
import { validateOptions } from '../../simulator/options.ts';
import { defaultOptions } from '../../simulator/settings.ts';
import { CarillonError } from '../../src/base/errors.ts';

test('without options the defaults apply, and an undefined option counts as absent', () => {
  expect(validateOptions({})).toEqual(defaultOptions);
  expect(validateOptions({ rate: undefined, customer: {} })).toEqual(defaultOptions);
});

test('the names of the customer fields can be changed one by one', () => {
  expect(validateOptions({ customer: { phone: 'number' } }).customer).toEqual({
    field: 'customer',
    phone: 'number',
    name: 'name',
    variables: null,
  });
});

test.each([
  [{ rate: 0 }, 'rate is not a number of requests a second above 0, or null for no limit'],
  [{ rate: Number.NaN }, 'rate is not a number'],
  [{ port: 70_000 }, 'port is not a number from 0 to 65535'],
  [{ speed: 'fast' }, 'speed is not a number above 0'],
  [{ rates: 3 }, 'options do not include rates'],
  [{ limiter: 'leaky' }, 'limiter is not one of token, fixed, sliding'],
  [{ latencyMs: [200, 100] }, 'latencyMs is not a number of milliseconds, or a range [from, to]'],
  [{ shares: {} }, 'shares is not weights of 0 or more'],
  [{ shares: { answred: 1 } }, 'shares'],
  [{ phones: { '4155550100': 'busy' } }, 'phones must be E.164 numbers with a fate each'],
  [{ endings: { '12': 'dead' } }, 'endings must be last digits with a fate each'],
  [{ keys: ['s3cret with space'] }, 'keys[0] is wrong: keys must be "any" or a list of secrets'],
  [{ customer: { fields: 'x' } }, 'customer does not include fields'],
  [{ faults: [{ kind: 'explode' }] }, 'faults[0].kind is wrong: faults must be a list of faults'],
  [
    { faults: [{ kind: 'error', next: 1, probability: 0.5 }] },
    'faults[0].next cannot be combined with probability',
  ],
  [{ faults: [{ kind: 'html', status: 200 }] }, 'faults[0].status must be 400 to 599 for html'],
  [{ faults: [{ kind: 'reset', ms: 5 }] }, 'faults[0].ms does not apply to reset'],
  [{ faults: [{ kind: 'endless', on: 'get' }] }, 'faults[0].on must be create for endless'],
  [{ faults: [{ kind: 'slow', when: 'before' }] }, 'faults[0].when cannot be chosen for slow'],
  [{ service: 'vonage' }, 'service is not one of standard, vapi, retell'],
  [{ faults: [{ kind: 'undialled' }] }, 'faults[0].kind undialled needs a service that answers so'],
  [
    { service: 'bland', faults: [{ kind: 'undialled', on: 'get' }] },
    'faults[0].on must be create for undialled',
  ],
  [null, 'the options are not an object'],
])('a wrong option is reported in one line that names it: %j', (options, words) => {
  let caught: unknown;
  try {
    validateOptions(options);
  } catch (error) {
    caught = error;
  }
  expect(caught).toBeInstanceOf(CarillonError);
  const { message } = caught as CarillonError;
  expect(message).toContain(words);
  expect(message).not.toContain('\n');
  expect(message).not.toContain('s3cret');
});

test('a fault can be written as one word on a command line', () => {
  expect(parseFault('error')).toEqual({ kind: 'error' });
  expect(parseFault('error@create:when=after,p=0.05,status=503')).toEqual({
    kind: 'error',
    on: 'create',
    when: 'after',
    probability: 0.05,
    status: 503,
  });
  expect(parseFault('hang@all:at=1+4,ms=500,phone=0199')).toEqual({
    kind: 'hang',
    on: 'all',
    at: [1, 4],
    ms: 500,
    phone: '0199',
  });
  expect(() => validateOptions({ faults: [parseFault('error:next=')] })).toThrow('faults[0].next is wrong');
  expect(() => validateOptions({ faults: [parseFault('error:sometimes=1')] })).toThrow(
    'faults[0] does not include sometimes',
  );
});
