import { caTelemarketing } from './packs/ca-telemarketing.ts';
import type { Pack } from './packs/pack.ts';
import { usTelemarketing } from './packs/us-telemarketing.ts';

/** The packs of hours that ship; none holds until a policy names it. */
export const packs: readonly Pack[] = [usTelemarketing, caTelemarketing];

export function packNamed(name: string): Pack | undefined {
  return packs.find((pack) => pack.name === name);
}

const halfYearMs = 183 * 86_400_000;

/** Whether laws may well have changed since its rows were compared with their sources. */
export function isOutdated({ asOf }: Pack, now: number): boolean {
  return now - Date.parse(asOf) > halfYearMs;
}
