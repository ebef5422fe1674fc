import type { Activity, Alert } from '../../api/description.ts';
import { ofHealth, openHealth, places } from '../../shell/needs.ts';

/** Where the things that are told of are seen, and how grave what is told is. */
type Place = { to: string; words: string };
type Told = Pick<Alert, 'code' | 'subject'>;

/** What an alert is about. */
export function placeOfAlert({ code, subject }: Told): Place | null {
  if (code === 'unknown-rising') return { to: '/unknown', words: 'Settle the calls' };
  if (code.startsWith('key-')) return { to: `/keys/${encodeURIComponent(subject)}`, words: 'Open the key' };
  const act = places[code]?.(subject);
  if (act && 'to' in act) return act;
  return ofHealth.has(code) ? openHealth : null;
}

const byNoun: Readonly<Record<string, (of: string) => Place>> = {
  key: (name) => ({ to: `/keys/${encodeURIComponent(name)}`, words: 'The key' }),
  number: () => ({ to: '/keys', words: 'Keys' }),
  policy: () => ({ to: '/policy', words: 'Contact rules' }),
  suppression: () => ({ to: '/suppressions', words: 'Suppressions' }),
  unknown: () => ({ to: '/unknown', words: 'Unknown' }),
  webhook: () => ({ to: '/webhooks', words: 'Webhooks' }),
  token: () => ({ to: '/tokens', words: 'Tokens' }),
  alert: () => ({ to: '/alerts', words: 'Alerts' }),
};

export function placeOf({ verb, subject, campaign_id: id, after }: Activity): Place | null {
  if (verb === 'alert.clear') return null;
  if (verb === 'alert.raise')
    return placeOfAlert({ code: after?.code as Alert['code'], subject: id ?? subject ?? '' });
  if (verb === 'campaign.pause' && after?.reason === 'first')
    return { to: `/listen?campaign=${id}`, words: 'Listen back' };
  return byNoun[verb.split('.')[0]!]?.(subject ?? '') ?? null;
}

/** The state whose mark stands before it; most acts are neither good nor bad. */
export function gravityOf({ verb, who, after }: Activity): string | null {
  if (verb === 'alert.raise') return after?.severity === 'critical' ? 'critical' : 'warning';
  if (verb === 'alert.clear') return 'open';
  if (verb === 'campaign.pause' && who === 'carillon') return 'paused';
  return null;
}
