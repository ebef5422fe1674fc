import type { ListedRecipient } from '../api/description.ts';
import { Badge } from './badge.tsx';

/** A person's state. One who is done was reached or not: the ledger's word alone would read as a success. */
type Person = Pick<ListedRecipient, 'state' | 'outcome'>;

export const isGivenUp = ({ state, outcome }: Person) =>
  state === 'done' && outcome !== null && outcome !== 'answered';

export function PersonState({ of: person }: { of: Person }) {
  if (isGivenUp(person))
    return <Badge state={person.outcome === 'failed' ? 'failed' : 'skipped'} label="not reached" />;
  return (
    <Badge state={person.state} {...(person.outcome && person.state === 'done' && { label: 'reached' })} />
  );
}
