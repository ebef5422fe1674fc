import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { own } from '../schedules/mutations.ts';
import { mutations } from './mutations.ts';

/** Every mutation must still find the code that it changes, or it proves nothing. */
const root = join(import.meta.dirname, '..', '..');

test.each([...mutations, ...own].map((each) => [each.name, each] as const))(
  '%s: can be applied to these sources',
  (_, each) => {
    for (const { file, from, to } of each.changes) {
      const text = readFileSync(join(root, file), 'utf8');
      expect(text.split(from).length - 1, `${file}: ${from}`).toBe(1);
      expect(text.replace(from, to)).not.toBe(text);
    }
  },
);
