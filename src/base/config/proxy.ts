import { BlockList, isIP } from 'node:net';
import { wrong } from './keys.ts';
import { isLoopback, isNetwork } from './networks.ts';

/** The HTTP proxy between us and the service: which setting names it, and which addresses bypass it. */
export type HttpProxy = Readonly<{
  /** Its address, without user name and password. */
  url: string;
  /** The value of `Proxy-Authorization`; null if the setting holds no user name. */
  authorization: string | null;
}>;

/** `why` is the variable that names the proxy, or the reason why requests go directly. */
export type ServiceRoute = Readonly<{ proxy: HttpProxy | null; why: string }>;

/** A variable as it is spelled in the environment, and its value. */
export type Named = Readonly<{ name: string; text: string | undefined }>;

/** VOICE_PROXY is meant for this service only; the others are shared by all programs and follow their conventions. */
export function chooseRoute(
  baseUrl: string | undefined,
  own: Named,
  shared: Readonly<{ https: Named; http: Named; except: Named }>,
): ServiceRoute {
  if (own.text !== undefined) return { proxy: readProxy(own.name, own.text), why: own.name };
  const url = baseUrl === undefined ? undefined : new URL(baseUrl);
  const { name, text } = url?.protocol === 'http:' ? shared.http : shared.https;
  if (url === undefined || text === undefined) return { proxy: null, why: 'no proxy is set' };
  if (isLoopback(url.hostname)) return { proxy: null, why: `${name} is not used for loopback addresses` };
  if (isExcepted(shared.except.text ?? '', url)) {
    return { proxy: null, why: `${shared.except.name} names ${url.host}` };
  }
  const hasScheme = text.includes('://') || !/:\d+\/?$/.test(text);
  return { proxy: readProxy(name, hasScheme ? text : `http://${text}`), why: name };
}

/** The message does not repeat the value, which may hold a password. */
function readProxy(name: string, text: string): HttpProxy {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.pathname !== '/' || url.search || url.hash) {
    throw wrong(name, 'is not the URL of an HTTP proxy, such as http://proxy.example:3128');
  }
  if (!url.username && !url.password) return { url: url.origin, authorization: null };
  try {
    const user = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
    return { url: url.origin, authorization: `Basic ${Buffer.from(user).toString('base64')}` };
  } catch {
    throw wrong(name, 'has a user name or a password with a % that must be written as %25');
  }
}

/** NO_PROXY: `*`, hosts with everything below them, addresses and networks, each for all ports or for one. */
function isExcepted(list: string, url: URL): boolean {
  const host = bare(url.hostname);
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean)
    .some((entry) => {
      if (entry === '*') return true;
      const [, named = entry, only] = /^([^:]*|\[.*\]):(\d+)$/.exec(entry) ?? [];
      if (only !== undefined && only !== port) return false;
      const name = bare(named.replace(/^\*?\./, ''));
      if (isIP(host) > 0) return isNetwork(name) && isIn(name, host);
      return host === name || host.endsWith(`.${name}`);
    });
}

function isIn(network: string, address: string): boolean {
  const family = (text: string) => (isIP(text) === 6 ? 'ipv6' : 'ipv4');
  const [start = '', length] = network.split('/');
  const list = new BlockList();
  if (length === undefined) list.addAddress(start, family(start));
  else list.addSubnet(start, Number(length), family(start));
  return list.check(address, family(address));
}

function bare(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1');
}
