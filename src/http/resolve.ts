import { lookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { withDeadline } from '../base/deadline.ts';
import { kindOfAddress } from './network-kind.ts';

/** Where the name of an address leads now, and whether a webhook may go there. */
export type HostAddress = { address: string; family: number };

export type ResolveHost = (host: string) => Promise<HostAddress[]>;

/** Resolves as the machine does, including its hosts file. */
export const resolveHost: ResolveHost = (host) => lookup(host, { all: true, verbatim: true });

/** `refused`: it leads where a webhook may not go. `unknown`: the name cannot be resolved. */
type HostReading =
  | { kind: 'found'; addresses: HostAddress[] }
  | { kind: 'refused'; why: string }
  | { kind: 'unknown'; why: string };

export async function resolveChecked(
  hostname: string,
  allowPrivate: boolean,
  resolve: ResolveHost,
  patienceMs: number,
): Promise<HostReading> {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const family = isIP(host);
  let addresses: HostAddress[];
  try {
    addresses =
      family !== 0 ? [{ address: host, family }] : await withDeadline(resolve(host), patienceMs, tooLate);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return { kind: 'unknown', why: `the name ${host} cannot be resolved${code ? ` (${code})` : ''}` };
  }
  if (addresses.length === 0) return { kind: 'unknown', why: `the name ${host} has no address` };
  // All must be allowed: which one is connected to is not ours to choose.
  for (const { address } of addresses) {
    const kind = kindOfAddress(address);
    if (kind === 'public' || (kind === 'private' && allowPrivate)) continue;
    const where = address === host ? host : `${host} is ${address}, which`;
    const what = kind === 'private' ? 'is on a private network' : 'is not an address of a receiver';
    return { kind: 'refused', why: `${where} ${what}` };
  }
  return { kind: 'found', addresses };
}

function tooLate(): never {
  throw Object.assign(new Error('the name server did not answer in time'), { code: 'ETIMEOUT' });
}

/** Connects only to addresses that were checked; TLS still asks for the name. */
export function lookupIn(addresses: () => readonly HostAddress[]): LookupFunction {
  return (_host, options, done) => {
    const wanted = addresses().filter(({ family }) => !options.family || options.family === family);
    const [first] = wanted;
    if (!first) done(new Error('no address'), '', 4);
    else if (options.all) done(null, wanted as { address: string; family: 4 | 6 }[]);
    else done(null, first.address, first.family);
  };
}
