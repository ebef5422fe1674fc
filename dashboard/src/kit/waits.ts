import type { FoundPerson } from '../api/description.ts';

/** Why one or many wait, in words that fit both; docs/reference/states.md explains each. */
export type WaitReason = NonNullable<FoundPerson['reason']>;

export const waitWords: Record<WaitReason, string> = {
  draft: 'the campaign is not started',
  paused: 'the campaign is paused',
  canceled: 'the campaign is canceled',
  'no-run': 'no run drives the campaign',
  retry: 'for the next attempt',
  callback: 'asked to be called back',
  start: 'the campaign has not begun',
  window: 'the calling window is closed there',
  date: 'nobody is called on this date',
  'legal-hours': 'outside the legal hours there',
  cap: 'called as often as the contact rules allow',
  gap: 'the gap after the last call is not over',
  conversation: 'the pause after a conversation is not over',
  'phone-in-use': 'another attempt has the phone',
  'no-credit': 'the key has no credit',
  budget: 'for the budget',
  rate: 'for the rate of the key',
  calls: 'for a free place',
  number: 'all caller numbers are full or rest',
  refused: 'the service takes no calls on the key now',
  never: 'no rule can open it any more',
};

/** Causes of a standstill that a time ends: nobody has to act. */
export const endsByTime = /^(?:start|window|date|legal-hours|cap|gap|conversation|retry|callback)$/;
