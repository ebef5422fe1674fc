import { CarillonError, errorLine } from '../../base/errors.ts';

/** What a check found, and the runner that lets each check stand alone: one that fails stops no other. */
export type Finding = {
  state: 'ok' | 'warn' | 'fail';
  what: string;
  detail: string;
  remedy: string | null;
};

/** Writes a finding down; without a remedy all is well. */
export type Say = (state: Finding['state'], detail: string, remedy?: string) => void;

/** Runs one check: whatever it throws is what it found. */
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

const marks = { ok: 'ok  ', warn: 'warn', fail: 'fail' } as const;

export function drawFinding({ state, what, detail, remedy }: Finding): string {
  const line = `${marks[state]}  ${what.padEnd(12)}  ${detail}`;
  return remedy ? `${line}  -> ${remedy}` : line;
}
