import { count, waitsText } from '../../kit/words.ts';
import { weekWords } from '../../order/week.ts';

/** What an order says, as its own page says it; a field without words here is told by its name. */
export const orderWords: Readonly<Record<string, (value: string) => string>> = {
  agent: (value) => `${value} speaks`,
  window: (value) => weekWords(value),
  timezone: (value) => `people without a time zone are in ${value}`,
  max_calls: (value) => `at most ${value === '1' ? '1 call' : `${value} calls`} at once`,
  max_cost: (value) => `calls for ${value} at most`,
  from: (value) => (value === 'all' ? 'calls come from every number' : `calls come from ${value}`),
  per_number_day: (value) => `at most ${value} calls a day from each number`,
  max_attempts: (value) =>
    value === '1' ? 'nobody is called again' : `up to ${value} tries for each person`,
  retry: retryWords,
  weight: (value) => `dials ${value} times as often as other campaigns`,
  first: (value) => `pauses after the first ${count(Number(value))} people`,
  on_unknown: (value) =>
    value === 'hold' ? 'calls in doubt wait for you' : 'calls in doubt are made once more',
  callback_at: () => 'calls back who asks for it',
  opt_out: () => 'suppresses who asks for no more calls',
  evergreen: (value) => (value === 'true' ? 'calls people as they are added' : 'new people wait for a start'),
};

/** `(busy 10s; no-answer 2h/1d)` as `after busy again in 10 s, after no answer again in 2 h, then 1 day`. */
function retryWords(value: string): string {
  const rules = value.replace(/^\((.*)\)$/, '$1').split('; ');
  return rules
    .map((rule) => {
      const [outcome = '', waits = ''] = rule.split(' ');
      return `after ${outcome.replace('-', ' ')} again in ${waitsText(waits)}`;
    })
    .join(', ');
}
