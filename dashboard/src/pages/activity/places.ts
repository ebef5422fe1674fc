import type { Activity, Alert } from '../../api/description.ts';
import type { IconName } from '../../kit/icon.tsx';
import { ofHealth, openHealth, places } from '../../shell/needs.ts';

/** Where the things that are told of are seen, and how grave what is told is. */
type Place = { to: string; words: string };
type Told = Pick<Alert, 'code' | 'subject'>;

export function placeOfAlert({ code, subject }: Told): Place | null {
  if (code === 'unknown-rising') return { to: '/unknown', words: 'Settle the calls' };
  if (code.startsWith('key-')) return { to: `/keys/${encodeURIComponent(subject)}`, words: 'Open the key' };
  const act = places[code]?.(subject);
  if (act && 'to' in act) return act;
  return ofHealth.has(code) ? openHealth : null;
}

/** The first words of verbs: the icon of each, as the navigation has it, and the page that tells more. */
const nouns: Readonly<Record<string, readonly [IconName, place?: (of: string) => Place | null]>> = {
  campaign: ['lines'],
  recipients: ['people'],
  recipient: ['people'],
  person: ['people'],
  bulk: ['people'],
  view: ['columns'],
  call: ['call'],
  key: ['key', (name) => ({ to: `/keys/${encodeURIComponent(name)}`, words: 'Open the key' })],
  number: ['key', () => ({ to: '/keys', words: 'Keys' })],
  policy: ['scales', () => ({ to: '/policy', words: 'See the rules' })],
  suppression: ['bar', () => ({ to: '/suppressions', words: 'See suppressions' })],
  unknown: ['query', (row) => (row ? { to: `/people/${row}`, words: 'See the person' } : null)],
  webhook: ['hook', () => ({ to: '/webhooks', words: 'Webhooks' })],
  token: ['ticket', () => ({ to: '/tokens', words: 'Tokens' })],
  alert: ['bell', () => ({ to: '/alerts', words: 'Alerts' })],
};
const nounOf = ({ verb }: Pick<Activity, 'verb'>) => nouns[verb.split('.')[0]!];
export const iconOf = (entry: Activity): IconName => nounOf(entry)?.[0] ?? 'pulse';

export function placeOf(entry: Activity): Place | null {
  const { verb, subject, campaign_id: id, after } = entry;
  if (after?.code) return placeOfAlert({ code: after.code as Alert['code'], subject: id ?? subject ?? '' });
  if (verb === 'campaign.pause' && after?.reason === 'first')
    return { to: `/listen?campaign=${id}`, words: 'Listen back' };
  return nounOf(entry)?.[1]?.(subject ?? '') ?? null;
}

/** The state whose mark stands before it; most acts are neither good nor bad. */
export function gravityOf({ verb, who, after }: Activity): string | null {
  if (verb === 'alert.raise') return after?.severity === 'critical' ? 'critical' : 'warning';
  if (verb === 'campaign.pause' && who === 'carillon') return 'paused';
  return null;
}
