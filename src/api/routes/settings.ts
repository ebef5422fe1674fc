import { examine, examinedAnswer } from '../../control/doctor/examine.ts';
import { type Audit, auditAnswer, auditLedger } from '../../control/ledger/audit.ts';
import { listProcesses, processesAnswer } from '../../control/processes/dialers.ts';
import { settingsAnswer, showSettings } from '../../control/settings.ts';
import { type Route, routesOf } from '../route.ts';
import type { ApiParts } from '../route-deps.ts';

const { get } = routesOf('operations');

/** The running processes, and their settings. */
export const settingRoutes: Route[] = [
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
];

const audits = new WeakMap<ApiParts, Promise<Audit>>();

function auditOnce(parts: ApiParts): Promise<Audit> {
  const running = audits.get(parts);
  if (running) return running;
  const audit = auditLedger(parts.app.ledger).finally(() => audits.delete(parts));
  audits.set(parts, audit);
  return audit;
}
