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
  const four = readFour(text);
  if (four !== null) return kindOfFour(four);
  const six = readSix(text);
  return six === null ? 'never' : kindOfSix(six);
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

/** An IPv4 address in an IPv6 one: mapped, and NAT64. It counts as that address. */
const carriers: readonly (readonly [first: string, bits: number])[] = [
  ['::ffff:0:0', 96],
  ['64:ff9b::', 96],
];

const fours = fourRanges.map(([first, bits, kind]) => ({ first: readFour(first)!, bits, kind }));
const sixes = sixRanges.map(([first, bits, kind]) => ({ first: readSix(first)!, bits, kind }));
const carrying = carriers.map(([first, bits]) => ({ first: readSix(first)!, bits }));

function kindOfFour(address: bigint): NetworkKind {
  return fours.find(({ first, bits }) => isWithin(address, first, bits, 32))?.kind ?? 'public';
}

function kindOfSix(address: bigint): NetworkKind {
  if (carrying.some(({ first, bits }) => isWithin(address, first, bits, 128)))
    return kindOfFour(address & 0xffff_ffffn);
  return sixes.find(({ first, bits }) => isWithin(address, first, bits, 128))?.kind ?? 'never';
}

function isWithin(address: bigint, first: bigint, bits: number, length: number): boolean {
  const shift = BigInt(length - bits);
  return address >> shift === first >> shift;
}

/** Reads only the plain form with four decimal parts: URLs bring every other spelling into it. */
function readFour(text: string): bigint | null {
  const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text)?.slice(1);
  if (!parts || parts.some((part) => Number(part) > 255 || (part.length > 1 && part[0] === '0'))) return null;
  return parts.reduce((sum, part) => (sum << 8n) | BigInt(part), 0n);
}

/** A zone (`%eth0`) does not change what it is. */
function readSix(text: string): bigint | null {
  const plain = text.replace(/^\[(.*)\]$/, '$1').replace(/%.*$/, '');
  const tail = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(plain);
  const four = tail ? readFour(tail[2]!) : null;
  if (tail && four === null) return null;
  const whole =
    four === null ? plain : `${tail![1]}${(four >> 16n).toString(16)}:${(four & 0xffffn).toString(16)}`;
  const halves = whole.split('::');
  if (halves.length > 2) return null;
  const [head, rest] = halves.map((half) => (half === '' ? [] : half.split(':')));
  const missing = 8 - head!.length - (rest?.length ?? 0);
  if (rest === undefined ? missing !== 0 : missing < 1) return null;
  const groups = [...head!, ...Array<string>(rest ? missing : 0).fill('0'), ...(rest ?? [])];
  if (groups.some((group) => !/^[0-9a-f]{1,4}$/i.test(group))) return null;
  return groups.reduce((sum, group) => (sum << 16n) | BigInt(`0x${group}`), 0n);
}
