import { z } from 'zod';
import { CarillonError, errorLine } from '../../base/errors.ts';

/** The findings of checks, and the runner of checks: one that fails does not stop the others. */
export const findingShape = z
  .object({
    state: z.enum(['ok', 'warn', 'fail']),
    what: z.string(),
    detail: z.string(),
    remedy: z.string().nullable(),
  })
  .meta({ id: 'Finding' });
export type Finding = z.output<typeof findingShape>;

/** Records a finding; without a remedy, nothing is wrong. */
export type Say = (state: Finding['state'], detail: string, remedy?: string) => void;

/** Runs one check; an error that it throws becomes its finding. */
export type Check = <T>(what: string, work: (say: Say) => T | Promise<T>) => Promise<T | null>;

export function createCheck(found: (finding: Finding) => void): Check {
  return async (what, work) => {
    try {
      return await work((state, detail, remedy) => found({ state, what, detail, remedy: remedy ?? null }));
    } catch (error) {
      const known = error instanceof CarillonError;
      const detail = known ? error.message : errorLine(error);
      found({ state: 'fail', what, detail, remedy: known ? error.remedy : null });
      return null;
    }
  };
}

export function counted(n: number, one: string, more = `${one}s`): string {
  return `${n} ${n === 1 ? one : more}`;
}
