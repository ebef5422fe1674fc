import { z } from 'zod';
import type { RaisedAlert } from '../../ledger/alerts/alerts.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { type AlertCode, alertCodes, severities } from '../../rules/alert-kinds.ts';
import { wholeOf } from '../requests/page.ts';

/** The alerts that are raised now. */
export const alertShape = z
  .object({
    code: z.enum(alertCodes as [AlertCode, ...AlertCode[]]),
    subject: z.string().describe('Its subject: a key, a process, a machine; empty where there is only one.'),
    severity: z.enum(severities),
    title: z.string(),
    message: z.string(),
    remedy: z.string().describe('The action that settles it.'),
    since: z.date(),
  })
  .meta({ id: 'Alert' });
export const alertsAnswer = wholeOf(alertShape);

export async function listAlerts({
  alerts,
}: Pick<Ledger, 'alerts'>): Promise<{ items: RaisedAlert[]; next: null }> {
  return { items: await alerts.list(), next: null };
}
