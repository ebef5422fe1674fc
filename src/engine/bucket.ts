/**
 * A lane's tokens, shared by every process on the key: the one budget for creates, polls and lists. Both engines give
 * the same guarantees, with the generic cell rate algorithm and the server's own clock.
 */
export type TokenRate = {
  /** Tokens a second. */
  rate: number;
  /** How many may go at once after idle time; in any t seconds at most rate * t + burst are granted. */
  burst: number;
};

export type Take = {
  /** The ms until each granted token may be used: evenly spaced, in order, none past the horizon. */
  delays: number[];
  /** When none was granted, whole ms until the next one may be used; else 0. */
  waitMs: number;
};

export type Reading = TokenRate & {
  /** Whole ms that the lane still rests; 0 when it does not. */
  restMs: number;
  /** Whole ms until the next token may be used, including a rest. */
  waitMs: number;
};

export type Memory = { version: number; value: unknown };

export type Bucket = {
  /**
   * Grants up to `want` tokens that may be used within `horizonMs`; granted tokens are spent, used or not. `pace`
   * is used only when none is stored (a new lane, or lost state): the bucket then starts as if it had just been used,
   * so that a loss never makes a burst.
   */
  take(lane: string, want: number, horizonMs: number, pace: TokenRate): Promise<Take>;
  /** Grants no token that may be used before then. The longest of several rests counts. */
  rest(lane: string, ms: number): Promise<void>;
  /** Ends a rest. Tokens granted before it stay spent, and no burst follows. */
  wake(lane: string): Promise<void>;
  /** Changes the pace from now on. Gathered burst tokens are kept, but not multiplied. */
  setRate(lane: string, pace: TokenRate): Promise<void>;
  read(lane: string): Promise<Reading | null>;
  /** A small JSON document that the processes on a lane share; version 0 and null when there is none. */
  readState(lane: string): Promise<Memory>;
  /** Compare-and-set: false when another process wrote since `version` was read; then read again. */
  writeState(lane: string, version: number, value: unknown): Promise<boolean>;
};

/** Checked here, because an impossible pace would turn into NaN far from its cause. */
export function checkPace({ rate, burst }: TokenRate): void {
  if (!(rate > 0) || !Number.isFinite(rate)) throw new RangeError(`a rate must be above 0, not ${rate}`);
  if (!(burst >= 1) || !Number.isFinite(burst))
    throw new RangeError(`a burst must be 1 or more, not ${burst}`);
}

export function checkMs(ms: number): void {
  if (!(ms >= 0) || !Number.isFinite(ms)) throw new RangeError(`a time must be 0 ms or more, not ${ms}`);
}
