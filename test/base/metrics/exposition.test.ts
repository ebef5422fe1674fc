import { expect, it } from 'vitest';
import { createExposition } from '../../../src/base/metrics/exposition.ts';

it('a counter adds up by its labels, and never falls', () => {
  const { counter, text } = createExposition();
  const calls = counter('calls_total', 'Calls.');
  calls.inc({ key: 'a' });
  calls.inc({ key: 'a' }, 2);
  calls.inc({ key: 'say "b"\\' });
  for (const by of [0, -5, Number.NaN]) calls.inc({ key: 'a' }, by);
  expect(text()).toBe(
    '# HELP calls_total Calls.\n# TYPE calls_total counter\ncalls_total{key="a"} 3\ncalls_total{key="say \\"b\\"\\\\"} 1\n',
  );
});

it('a histogram has every observation in one bucket and all above it, also what took less than no time', () => {
  const { histogram, text } = createExposition();
  const delay = histogram('delay_seconds', 'Delay.', [1, 10]);
  for (const value of [-2, 1, 4, 400, Number.NaN]) delay.observe({}, value);
  expect(text().split('\n').slice(2, -1)).toEqual([
    'delay_seconds_bucket{le="1"} 2',
    'delay_seconds_bucket{le="10"} 3',
    'delay_seconds_bucket{le="+Inf"} 4',
    'delay_seconds_sum 405',
    'delay_seconds_count 4',
  ]);
});

it('a gauge is read when somebody asks', () => {
  const { gauge, text } = createExposition();
  let value = 1;
  gauge('age_seconds', 'Age.', () => [{ labels: {}, value }]);
  value = 2;
  expect(text()).toContain('\nage_seconds 2\n');
});
