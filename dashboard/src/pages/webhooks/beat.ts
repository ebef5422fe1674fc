/**
 * When what is shown of webhooks is read again: at what they are told of, and every few seconds, as an answer comes later
 * than its event, and no event tells that a webhook rests.
 */
export const beat = { on: ['attempt.', 'recipient.', 'campaign.', 'alert.', 'key.'], everyMs: 5_000 };
