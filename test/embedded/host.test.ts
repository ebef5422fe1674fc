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
    ['another boot of the same machine is that machine before a restart', { bootId: 'b2' }, 'restarted'],
    [
      'the namespace before a restart does not matter',
      { bootId: 'b2', pidNamespace: 'pid:[2]' },
      'restarted',
    ],
    ['another boot under another name is another machine', { bootId: 'b2', hostName: 'h2' }, 'other-machine'],
    ['another boot and machine id is another machine', { bootId: 'b2', machineId: 'm2' }, 'other-machine'],
    ['another boot and no machine id is another machine', { bootId: 'b2', machineId: null }, 'other-machine'],
    ['an unknown boot of the same machine counts as this one', { bootId: null }, 'here'],
    ['an unknown boot and machine is another', { bootId: null, machineId: null }, 'other-machine'],
  ];
  test.each(cases)('%s', (_, theirs, where) => {
    expect(locate({ ...our, ...theirs }, our)).toBe(where);
  });

  test('two hosts without a machine id are not the same, even with the same name', () => {
    const bare = { ...our, machineId: null };
    expect(locate({ ...bare, bootId: 'b2' }, bare)).toBe('other-machine');
  });

  test('a value that is not a host is not ours', () => {
    expect(parseHost(undefined)).toBeUndefined();
    for (const found of [null, 3, 'x', {}, { bootId: 4 }])
      expect(locate(parseHost(found)!)).toBe('other-machine');
  });
});
