import { useState } from 'react';
import type { Alert } from '../api/description.ts';
import { AlertLine } from '../kit/alert-line.tsx';
import { Button } from '../kit/button.tsx';
import { useLive } from '../live/use-live.ts';
import { ConfirmHistory } from './confirm-history.tsx';
import { useMay } from './me.ts';
import { PageLink } from './page-link.tsx';

/** The alerts that are raised, wherever they are shown. */
export function useAlerts() {
  return useLive('GET /api/alerts', {}, { everyMs: 30_000, on: ['alert.'] });
}

/** Where the page can settle it, by its code; an alert without a place is settled elsewhere. */
const places: Partial<Record<Alert['code'], (subject: string) => { to: string; words: string }>> = {
  'key-denied': toKey,
  'key-out-of-credit': toKey,
  'key-failing': toKey,
  'unknown-rising': () => ({ to: '/unknown', words: 'Review the unknown' }),
  'policy-differs': () => ({ to: '/policy', words: 'See the rules in force' }),
  'webhook-down': (id) => ({ to: `/webhooks/${encodeURIComponent(id)}`, words: 'Open the webhook' }),
  'import-failed': (id) => ({ to: `/imports/${encodeURIComponent(id)}`, words: 'Open the import' }),
};

function toKey(name: string) {
  return { to: `/keys/${encodeURIComponent(name)}`, words: 'Open the key' };
}

function Settled({ alert: { code, subject } }: { alert: Alert }) {
  const place = places[code]?.(subject);
  return place ? <PageLink to={place.to}>{place.words}</PageLink> : null;
}

export function AlertList({ items }: { items: readonly Alert[] }) {
  const mayConfirm = useMay('admin');
  const [confirming, setConfirming] = useState(false);
  return (
    <>
      <ul className="space-y-2">
        {items.map((alert) => (
          <li key={`${alert.code} ${alert.subject}`}>
            <AlertLine
              alert={alert}
              act={
                alert.code === 'history-lost' && mayConfirm ? (
                  <Button kind="main" onClick={() => setConfirming(true)}>
                    Confirm the history
                  </Button>
                ) : (
                  <Settled alert={alert} />
                )
              }
            />
          </li>
        ))}
      </ul>
      {confirming && <ConfirmHistory onClose={() => setConfirming(false)} />}
    </>
  );
}
