import { caTelemarketing } from './packs/ca-telemarketing.ts';
import type { Pack } from './packs/pack.ts';
import { usTelemarketing } from './packs/us-telemarketing.ts';

/** The packs of hours that ship; none holds until a policy names it. */
export const packs: readonly Pack[] = [usTelemarketing, caTelemarketing];

export function packNamed(name: string): Pack | undefined {
  return packs.find((pack) => pack.name === name);
}
