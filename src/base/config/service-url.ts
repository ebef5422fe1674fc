/**
 * A service's address in its one spelling: lanes, campaigns and idempotency depend on it, and it is stored and shown.
 */
type ServiceUrl = { url: string } | { fault: string };

/** Origin and path: the host in lower case, no default port, no slash at the end. The fault never repeats the text. */
export function readServiceUrl(text: string): ServiceUrl {
  const parsed = URL.canParse(text) ? new URL(text) : undefined;
  if (!parsed || !['http:', 'https:'].includes(parsed.protocol)) {
    return { fault: 'is not a URL that starts with http:// or https://' };
  }
  if (parsed.username || parsed.password) {
    return { fault: 'contains a user name or a password: the key belongs in VOICE_API_KEYS' };
  }
  // A lone ? or # is refused too: the rest may still be typed.
  if (text.includes('?')) return { fault: 'contains a query: leave out the ? and what follows it' };
  if (text.includes('#')) return { fault: 'contains a hash: leave out the # and what follows it' };
  return { url: parsed.origin + parsed.pathname.replace(/\/+$/, '') };
}

/** What a service's description says for settings that are left out. */
export type ServiceDefaults = {
  baseUrl: string | null;
  timeoutMs: number;
  maxCalls: number;
  queueMs: number;
  tellsCost: boolean;
};
