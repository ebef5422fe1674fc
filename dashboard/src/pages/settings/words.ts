import type { Settings } from '../../api/description.ts';

/** What a setting sets, and what holds while it is not set, for those that are met first; others say their name without its signs. */
const words: Readonly<Record<string, readonly [sets: string, unset?: string]>> = {
  VOICE_API_KEYS: ['Keys of the voice service'],
  VOICE_MAX_CALLS: ['Calls at once', 'as many as the service takes'],
  VOICE_MAX_COST: ['The most that calls may cost', 'no limit but those of campaigns'],
  VOICE_RATE: ['Requests a second', 'learned from the service'],
  CARILLON_POLICY: ['A file of contact rules', 'the rules that this page sets'],
  CARILLON_KEEP_DAYS: ['Days for which what people said is kept', 'for ever'],
  VOICE_CALL_DEADLINE_MS: ['When a call without end is unknown', 'after 2 hours'],
  VOICE_POLL: ['How often the state of a call is asked', 'learned from how long calls last'],
  API_TOKEN: ['The first token of the API', 'this machine needs none'],
  ALERT_SMTP_URL: ['The server that mails alerts', 'no alert goes by mail'],
  HEARTBEAT_URL: ['Monitor that notices when Carillon stops', 'none'],
  OIDC_ISSUER: ['The provider by which people log in', 'they log in with a token'],
  MCP_ACTS: ['What assistants may do, over MCP', 'only read'],
  VOICE_SERVICE: ['Which voice service', 'the standard interface'],
  VOICE_PROFILE: ['File that describes the voice service'],
  VOICE_BASE_URL: ['Address of the voice service'],
  VOICE_BURST: ['Requests at once, with a fixed rate'],
  VOICE_ACCOUNTS: ['Keys that share one account'],
  VOICE_PROXY: ['A proxy to the voice service'],
  VOICE_TIMEOUT_MS: ['How long an answer is awaited'],
  API_READ_TOKEN: ['A token that may only read'],
  WEBHOOK_ALLOW_PRIVATE: ['Whether webhooks may go to private networks'],
  LIST_ALLOW_PRIVATE: ['Whether lists may come from private networks'],
  PUBLIC_URL: ['This page’s address for others'],
  CARILLON_HOME: ['Folder of the embedded ledger'],
  DATABASE_URL: ['The ledger’s own server'],
  REDIS_URL: ['The queue’s own server'],
  HOST: ['Network address of this page and the API'],
  PORT: ['Port of this page and the API'],
  LOG_LEVEL: ['How much is logged'],
};
const order = Object.keys(words);
/** Those that are met first stand first. */
export const firstMet = (a: string, b: string) => placeOf(a) - placeOf(b);
const placeOf = (name: string) => (order.includes(name) ? order.indexOf(name) : order.length);

/** What holds while it is not set, in words; undefined for one that is met by few. */
export const unsetText = (name: string): string | undefined => words[name]?.[1];

/** Defaults that are a risk, each with why; a page that only this machine sees needs no token. */
export function risksOf(settings: Settings['settings']): ReadonlyMap<string, string> {
  const isSet = (wanted: string) => settings.some(({ name, set }) => name === wanted && set);
  const host = settings.find(({ name, set }) => name === 'HOST' && set)?.value;
  const isOpen = host && !/^(?:127\.|::1$|localhost$)/.test(host) && !isSet('OIDC_ISSUER');
  const risks: Record<string, string> = {
    HEARTBEAT_URL: 'Nobody is told when Carillon itself stops.',
    CARILLON_KEEP_DAYS: 'What people said is kept for ever.',
    ...(isOpen && { API_TOKEN: 'Other machines reach this page, and no first token is set.' }),
  };
  return new Map(Object.entries(risks).filter(([name]) => !isSet(name)));
}

/** `west=12-2,east=8` as `west 12, of which 2 stay free for calls that come in; east 8`. */
export function settingValue(name: string, value: string): string {
  if (name === 'VOICE_MAX_COST') return value.replace(/(\w+):([\d.]+)/g, '$2 a $1').replaceAll(',', ', ');
  if (name === 'VOICE_API_KEYS') return value.replaceAll(',', ', ');
  if (name === 'VOICE_MAX_CALLS')
    return value
      .split(',')
      .map((each) =>
        each.replace('=', ' ').replace(/-(\d+)$/, ', of which $1 stay free for calls that come in'),
      )
      .join('; ');
  return value === '1' && /_ALLOW_|_ACTS$/.test(name) ? 'yes' : value;
}

export function settingWords(name: string): string {
  const plain = name.replaceAll('_', ' ').toLowerCase();
  return words[name]?.[0] ?? `${plain[0]!.toUpperCase()}${plain.slice(1)}`;
}
