import type { Job } from '../../api/description.ts';
import { waitWords } from '../../kit/waits.ts';

/** The words of the queues: kinds, states, and why a job waits. */
export const kinds: { value: Job['kind']; label: string }[] = [
  { value: 'dial', label: 'call to make' },
  { value: 'track', label: 'call to follow' },
];

export const states: { value: Job['state']; label: string }[] = [
  { value: 'waiting', label: 'waiting' },
  { value: 'delayed', label: 'until its time' },
  { value: 'active', label: 'at work' },
  { value: 'none', label: 'no job now' },
];

const reasons: Record<NonNullable<Job['reason']>, string> = {
  ...waitWords,
  failing: 'the service fails on its key',
  out_of_credit: 'its key has no credit',
  denied: 'its key is not accepted',
  poll: 'until it is asked about again',
  token: 'for its turn at the key',
};

export const reasonText = (reason: Job['reason']) => (reason === null ? null : reasons[reason]);
export const kindText = (kind: Job['kind']) => kinds.find(({ value }) => value === kind)!.label;
export const stateText = (state: Job['state']) => states.find(({ value }) => value === state)!.label;
