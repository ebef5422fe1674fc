/** The verdict on an outcome: another attempt after some seconds, or none. */
export type RetryRule = {
  maxAttempts: number;
  /** Seconds to wait, by outcome; an outcome that is not named is final. */
  retry: Readonly<Record<string, number>>;
};

export function nextAttemptIn(outcome: string, attempts: number, rule: RetryRule): number | null {
  if (attempts >= rule.maxAttempts) return null;
  return rule.retry[outcome] ?? null;
}
