/** How a job leaves a worker: a value, never an exception. */
export type Step =
  /** The work is done and the job is gone. */
  | { kind: 'done' }
  /** The job runs again after this long; no attempt is spent. */
  | { kind: 'wait'; ms: number }
  /** The whole queue rests this long, and the job goes back to it. */
  | { kind: 'rest'; ms: number }
  /** The job has nothing left to do. */
  | { kind: 'drop'; why: string };

export const done: Step = { kind: 'done' };
export const wait = (ms: number): Step => ({ kind: 'wait', ms: Math.max(1, Math.ceil(ms)) });
export const rest = (ms: number): Step => ({ kind: 'rest', ms: Math.max(1, Math.ceil(ms)) });
export const drop = (why: string): Step => ({ kind: 'drop', why });
