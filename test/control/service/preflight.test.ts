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
