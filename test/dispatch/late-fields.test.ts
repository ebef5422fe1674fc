import { expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { createLateFields } from '../../src/dispatch/late-fields.ts';
import type { Lane } from '../../src/lane/lane.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import type { LateField } from '../../src/rules/late-fields.ts';

/** How many of seven calls are asked for again before anything is known. */
async function askedOf(field: LateField, can: { transcript: boolean }): Promise<number> {
  const ledger = { refreshes: { known: async () => [] } } as unknown as Ledger;
  const lanes = [{ id: 1, client: { can } }] as unknown as Lane[];
  const lateFields = createLateFields({ ledger, lanes, clock: systemClock });
  let asked = 0;
  for (let call = 0; call < 7; call++) {
    asked += (await lateFields.worthAsking(1, 'answered', [field])).length;
  }
  return asked;
}

it('a field that may never come is asked for with a few calls, and one that comes later with every call', async () => {
  expect(await askedOf('cost', { transcript: true })).toBe(5);
  expect(await askedOf('transcript', { transcript: false })).toBe(5);
  expect(await askedOf('transcript', { transcript: true })).toBe(7);
  expect(await askedOf('outcome', { transcript: false })).toBe(7);
});
