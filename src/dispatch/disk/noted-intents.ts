import type { NotedIntent } from '../../ledger/lost-history/lost-history.ts';
import { readJournals } from './journal-file.ts';

/** The creates that processes of this home noted before they sent them, if the notes say whom they call. */
export async function readNoted(home: string): Promise<NotedIntent[]> {
  const found: NotedIntent[] = [];
  for await (const { notes } of readJournals(home)) {
    for (const { attemptId, person, at } of notes) {
      if (person) found.push({ attempt: attemptId, ...person, at: at.toISOString() });
    }
  }
  return found;
}
