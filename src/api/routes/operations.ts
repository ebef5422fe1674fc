import { budgetsAnswer, listBudgets } from '../../control/campaigns/budget.ts';
import { examine, examinedAnswer } from '../../control/doctor/examine.ts';
import { type Audit, auditAnswer, auditLedger } from '../../control/ledger/audit.ts';
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
import { listProcesses, processesAnswer } from '../../control/processes/dialers.ts';
import {
  jobsAnswer,
  jobsQuery,
  listJobs,
  listNext,
  nextAnswer,
  nextQuery,
} from '../../control/queues/jobs.ts';
import { settingsAnswer, showSettings } from '../../control/settings.ts';
import { type ApiParts, type Route, routesOf } from '../route.ts';

/** What runs here: processes, settings, queues, budgets, and whether the ledger's history is whole. */
const { get, post } = routesOf('operations');

export const operationRoutes: Route[] = [
  get('/api/settings', 'getSettings', {
    role: 'admin',
    summary:
      'The settings as the answering process has read them, without secrets; versions, ledger and queue.',
    answers: { 200: settingsAnswer },
    errors: ['queue-unreachable'],
    handle: (_asked, { app }) => showSettings(app),
  }),
  get('/api/doctor', 'examine', {
    role: 'operate',
    summary:
      'Checks the answering process, its servers, its settings and its keys; each finding says what to do.',
    more: 'The same as `carillon doctor`. It sends one request with each key, within the key’s budget.',
    answers: { 200: examinedAnswer },
    handle: (_asked, { app }) => examine(app),
  }),
  get('/api/audit', 'audit', {
    role: 'operate',
    summary: 'Whether every campaign’s counts add up, and the ledger’s rules hold.',
    more: 'The same as `carillon audit`. It reads every row of the ledger, which may take minutes; several requests at once share one reading.',
    answers: { 200: auditAnswer },
    handle: (_asked, parts) => auditOnce(parts),
  }),
  get('/api/processes', 'listProcesses', {
    role: 'read',
    summary: 'Lists the processes that work on the ledger, with the age of each loop’s last round.',
    answers: { 200: processesAnswer },
    handle: (_asked, { app }) => listProcesses(app.ledger),
  }),
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
  get('/api/jobs', 'listJobs', {
    role: 'read',
    summary: 'Lists the jobs of the queues, the oldest plan first: who each is about, and why it waits.',
    more: 'With `state`, a page may have fewer items than `limit`, perhaps none: `next` continues. `reason` is that of a waiting row, the state of a key that creates no calls, `poll` (the next is due at `until`), or `token`. The ledger is asked first and then the queue, so a job may have moved in between.',
    query: jobsQuery,
    answers: { 200: jobsAnswer },
    errors: ['queue-unreachable'],
    handle: ({ query }, { app }) => listJobs(app, query),
  }),
  get('/api/next', 'listNext', {
    role: 'read',
    summary: 'Lists the people who are taken next: of each campaign that runs, the first who wait.',
    more: 'The first of each campaign comes before the second of any. `reason` and `until` say why each still waits; someone whose hours are open comes before someone whose hours are not.',
    query: nextQuery,
    answers: { 200: nextAnswer },
    handle: ({ query }, { app }) => listNext(app, query),
  }),
  get('/api/budgets', 'listBudgets', {
    role: 'read',
    summary: 'Lists what all calls of the service may cost in a day and in a month, and what they have cost.',
    more: 'Empty unless a process that dials has `VOICE_MAX_COST`; where several have, the lowest holds. A campaign answers its own `budget`.',
    shared: true,
    answers: { 200: budgetsAnswer },
    handle: (_asked, { app }) => listBudgets(app.ledger),
  }),
];

const audits = new WeakMap<ApiParts, Promise<Audit>>();

function auditOnce(parts: ApiParts): Promise<Audit> {
  const running = audits.get(parts);
  if (running) return running;
  const audit = auditLedger(parts.app.ledger).finally(() => audits.delete(parts));
  audits.set(parts, audit);
  return audit;
}
