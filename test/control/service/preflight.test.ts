import { expect, it } from 'vitest';
import { checkService } from '../../../src/control/service/preflight.ts';
import { connect, serve } from '../../voice/servers.ts';

it('a caller number is known where the service lists it without its plus, or with spaces', async () => {
  const numbers = [
    { id: 'number-1', phone_number: '14155550100' },
    { id: 'number-2', phone_number: '+44 20 7946 0104' },
  ];
  const { baseUrl } = await serve(() => ({ json: numbers }));
  const check = (number: string) =>
    checkService(
      new Map([['main', connect(baseUrl)]]),
      { agents: [], callers: [{ number }] },
      async () => true,
    );
  for (const number of ['+14155550100', '+442079460104'])
    expect((await check(number)).keys).toEqual([{ name: 'main', state: 'accepted' }]);
  await expect(check('+14155550199')).rejects.toThrow('+14155550199 is not among');
});

it('a list of numbers without end proves nothing: it is cut, and says so, unless it has the number', async () => {
  let made = 0;
  const page = () =>
    Array.from({ length: 1_000 }, () => ({ id: `n-${++made}`, phone_number: `+1${2_000_000_000 + made}` }));
  const { baseUrl, seen } = await serve(() => ({ json: page() }));
  const check = async (number: string) => {
    made = 0;
    return checkService(
      new Map([['main', connect(baseUrl)]]),
      { callers: [{ number }], agents: [] },
      async () => true,
    );
  };
  expect((await check('+14155550199')).keys).toMatchObject([
    { state: 'faulty', message: 'its list cannot be read to the end: it has more than 20000 items' },
  ]);
  expect(seen).toHaveLength(20);
  expect((await check('+12000002500')).keys).toEqual([{ name: 'main', state: 'accepted' }]);
});
