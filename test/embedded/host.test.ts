import { describe, expect, test } from 'vitest';
import { type Host, locate, parseHost } from '../../src/embedded/host.ts';

describe('where a process ran', () => {
  const our: Host = { bootId: 'b1', pidNamespace: 'pid:[1]', machineId: 'm1', hostName: 'h1' };
  const cases: [string, Partial<Host>, ReturnType<typeof locate>][] = [
    ['the same in everything is here', {}, 'here'],
    ['another name in the same boot is here', { hostName: 'h2', machineId: null }, 'here'],
    [
      'another namespace in the same boot is another container',
      { pidNamespace: 'pid:[2]' },
      'other-namespace',
    ],
    ['another boot of the same machine is before its restart', { bootId: 'b2' }, 'restarted'],
    ['its namespace then does not matter', { bootId: 'b2', pidNamespace: 'pid:[2]' }, 'restarted'],
    ['another boot under another name is another machine', { bootId: 'b2', hostName: 'h2' }, 'other-machine'],
    ['another boot and machine id is another machine', { bootId: 'b2', machineId: 'm2' }, 'other-machine'],
    ['another boot and no machine id is another machine', { bootId: 'b2', machineId: null }, 'other-machine'],
    ['an unknown boot of the same machine is taken for this one', { bootId: null }, 'here'],
    ['an unknown boot and machine is another', { bootId: null, machineId: null }, 'other-machine'],
  ];
  test.each(cases)('%s', (_, theirs, where) => {
    expect(locate({ ...our, ...theirs }, our)).toBe(where);
  });

  test('two hosts that know no machine id are not the same by their names', () => {
    const bare = { ...our, machineId: null };
    expect(locate({ ...bare, bootId: 'b2' }, bare)).toBe('other-machine');
  });

  test('what is not a host is not ours', () => {
    expect(parseHost(undefined)).toBeUndefined();
    for (const found of [null, 3, 'x', {}, { bootId: 4 }])
      expect(locate(parseHost(found)!)).toBe('other-machine');
  });
});
