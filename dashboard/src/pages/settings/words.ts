import type { Settings } from '../../api/ask.ts';
import { count, durationText } from '../../kit/words.ts';

export type Setting = Settings['settings'][number];

/** What each setting sets and what holds while it is not set, by subject, the one that is changed most first; others say their name without its signs. */
type Words = readonly [sets: string, unset?: string];

const groups: Readonly<Record<string, Readonly<Record<string, Words>>>> = {
  'Privacy and time': {
    CARILLON_KEEP_DAYS: ['What people said is kept', 'as decided above'],
    CARILLON_EVENT_DAYS: ['Events are kept', '7 days'],
    CARILLON_POLICY: ['A file of contact rules', 'none: the page sets them'],
    VOICE_CALL_DEADLINE_MS: ['A call whose end nobody tells is unknown after', '2 hours'],
  },
  'Limits and money': {
    VOICE_MAX_CALLS: ['Calls at once', 'as many as the service takes'],
    VOICE_MAX_COST: ['The most that calls may cost', 'no limit but those of campaigns'],
    VOICE_RATE: ['Requests a second', 'learned from the service'],
    VOICE_BURST: ['Requests at once, at a fixed rate', 'one'],
    VOICE_POLL: ['A call is asked how it stands', 'as often as calls teach'],
    API_RATE: ['Requests a second to the API', '3,000 for each token'],
  },
  'Who is told, and who may act': {
    HEARTBEAT_URL: ['A monitor that hears from Carillon', 'none but those added above'],
    ALERT_SMTP_URL: ['The server that mails alerts', 'none: no alert goes by mail'],
    API_TOKEN: ['The first token of the API', 'this machine needs none'],
    API_READ_TOKEN: ['A token that may only read', 'none'],
    OIDC_ISSUER: ['People log in by', 'a token'],
    WEBHOOK_ALLOW_PRIVATE: ['Webhooks to private networks', 'refused'],
    LIST_ALLOW_PRIVATE: ['Lists from private networks', 'refused'],
    MCP_ACTS: ['Acts of assistants, over MCP', 'not allowed: they only read'],
  },
  'The service and its keys': {
    VOICE_API_KEYS: ['Keys of the service'],
    VOICE_SERVICE: ['Which service', 'the standard interface'],
    VOICE_PROFILE: ['A file that describes the service', 'none'],
    VOICE_BASE_URL: ['Address of the service'],
    VOICE_ACCOUNTS: ['Keys that share one account', 'none'],
    VOICE_PROXY: ['A proxy on the way to the service', 'none'],
    VOICE_TIMEOUT_MS: ['An answer is awaited', '30 s'],
  },
  'This machine': {
    PORT: ['Port of this page and the API', '3000'],
    HOST: ['This page and the API listen on', 'this machine only'],
    PUBLIC_URL: ['This page’s address for others', 'none'],
    CARILLON_HOME: ['Folder of the embedded ledger'],
    DATABASE_URL: ['The ledger’s own server', 'none: it is embedded'],
    REDIS_URL: ['The queue’s own server', 'none: it is in the ledger'],
    LOG_LEVEL: ['How much is logged', 'info'],
  },
};
export const titles = Object.keys(groups);

/** Those in sight: what bounds calls, and what is changed, but for what is set once by whoever installs Carillon, and what stands elsewhere. */
export const isFirst = ({ name, set }: Setting): boolean =>
  ['VOICE_MAX_CALLS', 'VOICE_MAX_COST', 'VOICE_RATE'].includes(name) ||
  (set && name !== 'CARILLON_KEEP_DAYS' && !titles.slice(-2).includes(groupOf(name)));

/** It lets requests go where they are refused by default. */
export const isOpen = ({ name, value }: Setting) => value === '1' && name.endsWith('_ALLOW_PRIVATE');

/** The subject of those without words here, by the first letters of their names. */
const others = [/^CARILLON_SECRET$/, /^$/, /^(?:API|OIDC|ALERT|CORS)_/, /^(?:VOICE|CARILLON_HOOK)_/, /./];

export const groupOf = (name: string): string =>
  titles.find((title) => groups[title]![name]) ?? titles[others.findIndex((form) => form.test(name))]!;

export function wordsOf(name: string): Words {
  const plain = name.replaceAll('_', ' ').toLowerCase();
  return groups[groupOf(name)]![name] ?? [`${plain[0]!.toUpperCase()}${plain.slice(1)}`];
}

/** `west=12-2,east=8` as `west 12, of which 2 stay free for calls that come in; east 8`. */
export function settingValue(name: string, value: string): string {
  if (name === 'VOICE_MAX_COST')
    return value
      .split(',')
      .map((each) => each.replace(/(\w+):([\d.]+)/, (_, span, most) => `${count(Number(most))} a ${span}`))
      .join(', ');
  if (name === 'VOICE_API_KEYS') return value.replaceAll(',', ', ');
  if (name.endsWith('_DAYS')) return `${value} days`;
  if (name.endsWith('_MS')) return durationText(Number(value));
  if (name === 'VOICE_MAX_CALLS')
    return value
      .split(',')
      .map((each) =>
        each.replace('=', ' ').replace(/-(\d+)$/, ', of which $1 stay free for calls that come in'),
      )
      .join('; ');
  return value === '1' && /_ALLOW_|_ACTS$/.test(name) ? 'allowed' : value;
}
