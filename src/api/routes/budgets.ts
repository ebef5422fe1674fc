import { budgetsAnswer, listBudgets } from '../../control/campaigns/budget.ts';
import { type Route, route } from '../route.ts';

/** What all calls of the service may cost. */
export const budgetRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/api/budgets',
    id: 'listBudgets',
    tag: 'operations',
    role: 'read',
    summary: 'Lists what all calls of the service may cost in a day and in a month, and what they have cost.',
    more: 'Empty unless a process that dials has `VOICE_MAX_COST`; where several have, the lowest holds. A campaign answers its own `budget`.',
    shared: true,
    answers: { 200: budgetsAnswer },
    handle: (_asked, { app }) => listBudgets(app.ledger),
  }),
];
