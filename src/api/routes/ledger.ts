import {
  confirmedAnswer,
  confirmInput,
  confirmLedger,
  ledgerShape,
  showLedger,
  showToConfirm,
  toConfirmAnswer,
  toConfirmQuery,
} from '../../control/ledger/history.ts';
import { type Route, routesOf } from '../route.ts';

const { get, post } = routesOf('operations');

/** Whether the ledger's history is whole, and a person's confirmation if it is not. */
export const ledgerRoutes: Route[] = [
  get('/api/ledger', 'getLedger', {
    role: 'read',
    summary: 'Whether the ledger’s history is whole, or was lost and waits for a person.',
    answers: { 200: ledgerShape },
    handle: (_asked, { app }) => showLedger(app.ledger),
  }),
  get('/api/ledger/confirm', 'getLedgerToConfirm', {
    role: 'read',
    summary: 'Counts the people whom confirming the ledger would mark. Nothing is changed.',
    query: toConfirmQuery,
    answers: { 200: toConfirmAnswer },
    handle: ({ query }, { app: { ledger, config, clock } }) =>
      showToConfirm({ ledger, home: config.home, now: () => clock.now() }, query),
  }),
  post('/api/ledger/confirm', 'confirmLedger', {
    role: 'admin',
    summary:
      'Confirms a ledger that lost history: marks people who may have been called, and lets campaigns call again.',
    more: 'The marked people become unknown, and wait for a decision. Campaigns stay paused until they are resumed.',
    body: confirmInput,
    bodyOptional: true,
    answers: { 200: confirmedAnswer },
    example: { body: { lost_since: '2026-11-22T18:00:00Z' } },
    handle: async ({ body }, { app: { ledger, config, clock, permit } }) => {
      const deps = { ledger, home: config.home, deadlineMs: config.voice.callDeadlineMs };
      const confirmed = await confirmLedger({ ...deps, now: () => clock.now() }, body);
      await permit.vouch();
      return confirmed;
    },
  }),
];
