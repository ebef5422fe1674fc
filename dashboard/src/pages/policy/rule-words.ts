/** The rules that can hold a call back, in words. */
const words: Readonly<Record<string, string>> = {
  'legal-hours': 'the legal hours where the person is are closed',
  date: 'nobody is called on this date',
  cap: 'the phone was called as often as a cap allows',
  gap: 'the gap after its last call is not over',
  conversation: 'the pause after a conversation is not over',
  window: 'the hours are closed',
};

export const ruleText = (rule: string | null) => words[rule ?? ''] ?? rule ?? 'a rule holds it back';
