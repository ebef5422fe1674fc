import type { FoundPerson } from '../api/description.ts';

/** Why a row waits, in words; docs/reference/states.md explains each. */
export type WaitReason = NonNullable<FoundPerson['reason']>;

export const waitWords: Record<WaitReason, string> = {
  draft: 'its campaign is not started',
  paused: 'its campaign is paused',
  canceled: 'its campaign is canceled',
  'no-run': 'no run drives its campaign',
  retry: 'for its next attempt',
  callback: 'asked to be called back',
  start: 'its campaign has not begun',
  window: 'its calling window is closed',
  date: 'nobody is called on this date',
  'legal-hours': 'the legal hours are over where it is',
  cap: 'its phone was called as often as the contact rules allow',
  gap: 'the gap after the last call is not over',
  conversation: 'the pause after a conversation is not over',
  'phone-in-use': 'another attempt has its phone',
  'no-credit': 'its key has no credit',
  budget: 'for the budget',
  rate: 'for the rate of its key',
  calls: 'no more calls may be in progress at once',
  number: 'all caller numbers are full or rest',
  refused: 'the service takes no calls on its key now',
  never: 'no rule can open it any more',
};
