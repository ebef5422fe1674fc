import { expect, test } from 'vitest';
import { watchSignals } from '../../../src/cli/terminal/signals.ts';

test('a signal that the requests of many keys wait on is not reported as a leak', async () => {
  const warnings: string[] = [];
  const hear = (warning: Error) => warnings.push(warning.name);
  process.on('warning', hear);
  const signals = watchSignals();
  for (let key = 0; key < 12; key++) signals.signal.addEventListener('abort', () => undefined);
  await new Promise((resolve) => setTimeout(resolve, 20));
  process.off('warning', hear);
  signals.stop();
  expect(warnings).toEqual([]);
});
