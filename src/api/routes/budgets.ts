import { budgetsAnswer, listBudgets } from '../../control/campaigns/budget.ts';
import { type Route, routesOf } from '../route.ts';

const { get } = routesOf('operations');

/** What all calls of the service may cost. */
export const budgetRoutes: Route[] = [
  get('/api/budgets', 'listBudgets', {
    role: 'read',
    summary: 'Lists what all calls of the service may cost in a day and in a month, and what they have cost.',
    more: 'Empty unless a process that dials has `VOICE_MAX_COST`; where several have, the lowest holds. A campaign answers its own `budget`.',
    shared: true,
    answers: { 200: budgetsAnswer },
    handle: (_asked, { app }) => listBudgets(app.ledger),
  }),
];
