import { useState } from 'react';
import type { Alert } from '../api/description.ts';
import { AlertLine } from '../kit/alert-line.tsx';
import { Button } from '../kit/button.tsx';
import { useLive } from '../live/use-live.ts';
import { ConfirmHistory } from './confirm-history.tsx';
import { useMay } from './me.ts';

/** The alerts that are raised, wherever they are shown. */
export function useAlerts() {
  return useLive('GET /api/alerts', {}, { everyMs: 30_000, on: ['alert.'] });
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
                alert.code === 'history-lost' &&
                mayConfirm && (
                  <Button kind="main" onClick={() => setConfirming(true)}>
                    Confirm the history
                  </Button>
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
