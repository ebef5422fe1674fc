import { alertsAnswer, listAlerts } from '../../control/alerts/show.ts';
import { type Route, route } from '../route.ts';

/** Alerts: things that need a person now. */
export const alertRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/api/alerts',
    id: 'listAlerts',
    tag: 'operations',
    role: 'read',
    summary: 'Lists the alerts that are raised, the latest first, each with what to do.',
    shared: true,
    answers: { 200: alertsAnswer },
    handle: (_asked, { app }) => listAlerts(app.ledger),
  }),
];
