import { ask } from '../../api/ask.ts';
import type { FirstCall } from '../../api/description.ts';
import { createSoon } from '../../data/soon.ts';

/** Judgements of calls, which the ledger is told when no undo can come. */
export type Judged = NonNullable<FirstCall['judgement']>['as'];

const judging = createSoon<Judged>();
export const useJudging = judging.use;

/** A call with what was said of it, also where the ledger is not told yet. */
export type Heard = FirstCall & { as: Judged | null };

export function judge({ attempt, name, phone }: FirstCall, as: Judged, note?: string): void {
  const who = name ?? phone ?? 'This person';
  const text = as === 'opt-out' ? `${who} is not called any more.` : `${who}: ${as}.`;
  judging.tell(attempt, as, text, async () => {
    const body = { as, ...(note ? { note } : {}) };
    await ask('PUT /api/attempts/{id}/judgement', { params: { id: attempt }, body });
    return null;
  });
}
