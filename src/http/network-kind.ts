import { BlockList, isIP } from 'node:net';

/**
 * The kind of network that an IP address belongs to. A webhook's address is chosen by anyone who may add one, and is
 * called from inside our network, so it must not reach what only the inside can reach.
 */

/**
 * `public`: the internet. `private`: this machine or a network of ours, where a setting allows it. `never`: an address
 * that is not one machine's, or where clouds keep their secrets (link-local).
 */
type NetworkKind = 'public' | 'private' | 'never';

export function kindOfAddress(text: string): NetworkKind {
  if (isIP(text) === 4) return kindOfFour(text);
  // A zone (`%eth0`) does not change what it is.
  const address = text.replace(/^\[(.*)\]$/, '$1').replace(/%.*$/, '');
  if (isIP(address) !== 6) return 'never';
  if (carriers.check(address, 'ipv6')) return kindOfFour(carriedIn(address));
  return sixes.find(({ list }) => list.check(address, 'ipv6'))?.kind ?? 'never';
}

type Range = readonly [first: string, bits: number, kind: NetworkKind];

const fourRanges: readonly Range[] = [
  ['0.0.0.0', 8, 'never'],
  ['10.0.0.0', 8, 'private'],
  // Shared by the customers of a carrier, and used by overlay networks.
  ['100.64.0.0', 10, 'private'],
  ['127.0.0.0', 8, 'private'],
  ['169.254.0.0', 16, 'never'],
  ['172.16.0.0', 12, 'private'],
  ['192.0.0.0', 24, 'never'],
  ['192.0.2.0', 24, 'never'],
  // The relays from 6to4 to the internet, which no longer exist.
  ['192.88.99.0', 24, 'never'],
  ['192.168.0.0', 16, 'private'],
  // Benchmarks of networks.
  ['198.18.0.0', 15, 'private'],
  ['198.51.100.0', 24, 'never'],
  ['203.0.113.0', 24, 'never'],
  // Multicast, reserved, and broadcast.
  ['224.0.0.0', 3, 'never'],
];

/** The first range that fits counts. An address in none of them is not in use. */
const sixRanges: readonly Range[] = [
  ['::1', 128, 'private'],
  // NAT64 of a network's own.
  ['64:ff9b:1::', 48, 'private'],
  // Protocol assignments (Teredo and benchmarks among them), examples, and 6to4.
  ['2001::', 23, 'never'],
  ['2001:db8::', 32, 'never'],
  ['2002::', 16, 'never'],
  ['3fff::', 20, 'never'],
  ['2000::', 3, 'public'],
  ['fc00::', 7, 'private'],
];

const fours = fourRanges.map(([first, bits, kind]) => ({ list: listOf([first, bits]), kind }));
const sixes = sixRanges.map(([first, bits, kind]) => ({ list: listOf([first, bits]), kind }));

/** An IPv4 address in an IPv6 one: mapped, and NAT64. It counts as that address. */
const carriers = listOf(['::ffff:0:0', 96], ['64:ff9b::', 96]);

function listOf(...ranges: (readonly [first: string, bits: number])[]): BlockList {
  const list = new BlockList();
  for (const [first, bits] of ranges) list.addSubnet(first, bits, first.includes(':') ? 'ipv6' : 'ipv4');
  return list;
}

function kindOfFour(address: string): NetworkKind {
  return fours.find(({ list }) => list.check(address))?.kind ?? 'public';
}

/** The last two groups of the one form that a URL gives an address. */
function carriedIn(address: string): string {
  const groups = new URL(`http://[${address}]`).hostname.slice(1, -1).split(':').slice(-2);
  return groups
    .map((group) => Number.parseInt(group || '0', 16))
    .flatMap((pair) => [pair >> 8, pair & 0xff])
    .join('.');
}
