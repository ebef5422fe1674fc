import { BlockList } from 'node:net';
import { array, constantFrom, integer, oneof, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { kindOfAddress } from '../../src/http/network-kind.ts';
import { assert, runs } from '../support/property.ts';

/** Which addresses a webhook may reach, in every form in which an address is written. */
describe('an address', () => {
  it.each([
    [
      'public',
      '8.8.8.8 1.1.1.1 172.15.0.1 172.32.0.1 100.63.0.1 100.128.0.1 192.0.1.1 198.20.0.1 223.255.255.255',
    ],
    ['public', '2606:4700::1111 2a00:1450:4001::1 64:ff9b::808:808 ::ffff:8.8.8.8'],
    [
      'private',
      '127.0.0.1 127.255.0.1 10.1.2.3 172.16.0.1 172.31.255.255 192.168.0.1 100.64.0.1 100.127.9.9 198.19.0.1',
    ],
    ['private', '::1 fc00::1 fd12:3456::1 ::ffff:127.0.0.1 ::ffff:7f00:1 64:ff9b::10.0.0.1 64:ff9b:1::1'],
    [
      'never',
      '0.0.0.0 0.1.2.3 169.254.169.254 224.0.0.1 239.1.1.1 240.0.0.1 255.255.255.255 192.0.2.1 203.0.113.9',
    ],
    [
      'never',
      ':: ff02::1 fe80::1 fe80::1%eth0 ::ffff:169.254.169.254 64:ff9b::a9fe:a9fe 2002:7f00:1::1 2002:808:808::1',
    ],
    ['never', '2001:db8::1 2001::1 3fff::1 ::127.0.0.1 4000::1 100::1'],
    ['never', '127.1 0x7f.0.0.1 2130706433 0127.0.0.1 1.2.3 1.2.3.256 1::2::3 1:2:3 ::12345 ::g example.com'],
  ] as const)('is %s: %s', (kind, addresses) => {
    for (const address of addresses.split(' ')) expect(kindOfAddress(address), address).toBe(kind);
    expect(kindOfAddress('')).toBe('never');
  });

  it('is of the same kind however it is written', () => {
    const group = oneof(
      constantFrom(0, 0, 0, 0xffff, 0x7f00, 0x64, 0xff9b, 0xfe80, 0xfc00, 0x2001),
      integer({ min: 0, max: 0xffff }),
    );
    assert(
      property(array(group, { minLength: 8, maxLength: 8 }), (groups) => {
        const kind = kindOfAddress(groups.map((each) => each.toString(16)).join(':'));
        const forms = [
          groups.map((each) => each.toString(16).padStart(4, '0').toUpperCase()).join(':'),
          // The URL's own short form.
          new URL(`http://[${groups.map((each) => each.toString(16)).join(':')}]`).hostname,
          [
            ...groups.slice(0, 6).map((each) => each.toString(16)),
            groups
              .slice(6)
              .flatMap((each) => [each >> 8, each & 0xff])
              .join('.'),
          ].join(':'),
        ];
        for (const form of forms) expect(kindOfAddress(form), form).toBe(kind);
      }),
    );
  });

  it('of IPv4 is judged as Node’s own list of blocked networks would, also inside an IPv6 one', () => {
    const blocked = new BlockList();
    const networks =
      '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/3';
    for (const network of networks.split(' ')) {
      const [first, bits] = network.split('/');
      blocked.addSubnet(first!, Number(bits));
    }
    const first = oneof(
      constantFrom(0, 10, 100, 127, 169, 172, 192, 198, 203, 224),
      integer({ min: 0, max: 255 }),
    );
    const part = oneof(
      constantFrom(0, 2, 16, 18, 19, 31, 64, 88, 99, 113, 127, 168, 254),
      integer({ min: 0, max: 255 }),
    );
    assert(
      property(first, part, part, part, (...parts) => {
        const four = parts.join('.');
        const kind = kindOfAddress(four);
        expect(kind === 'public', four).toBe(!blocked.check(four));
        expect(kindOfAddress(`::ffff:${four}`)).toBe(kind);
        expect(kindOfAddress(`64:ff9b::${four}`)).toBe(kind);
      }),
      { numRuns: runs(500) },
    );
  });
});
