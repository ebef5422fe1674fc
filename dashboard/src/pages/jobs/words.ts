import type { Job } from '../../api/description.ts';
import { waitWords } from '../../kit/waits.ts';

/** The words of the queues: what a call waits for, and why. */
export const kinds: { value: Job['kind']; label: string }[] = [
  { value: 'dial', label: 'to dial' },
  { value: 'track', label: 'to check' },
];

export const states: { value: Job['state']; label: string }[] = [
  { value: 'waiting', label: 'now' },
  { value: 'delayed', label: 'later' },
  { value: 'active', label: 'being done' },
  { value: 'none', label: 'in no queue' },
];

const reasons: Record<NonNullable<Job['reason']>, string> = {
  ...waitWords,
  failing: 'the service fails on the key',
  out_of_credit: 'the key has no credit',
  denied: 'the key is not accepted',
  poll: 'for the next check',
  token: 'for a turn at the key',
};

export const reasonText = (reason: Job['reason']) => (reason === null ? null : reasons[reason]);
const inHand: Record<Job['kind'], string> = { dial: 'dialling', track: 'checking' };

/** `to dial`, `checking`; when, its due time tells. */
export function workText({ kind, state }: Pick<Job, 'kind' | 'state'>): string {
  if (state === 'active') return inHand[kind];
  const work = kinds.find(({ value }) => value === kind)!.label;
  return state === 'none' ? `${work}, in no queue` : work;
}
