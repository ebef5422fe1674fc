/**
 * Caps of calls by phone. Caps, gap and pause contradict each other unless each holds back a call that the others
 * allow.
 */

/** At most this many calls in any time this long. */
export type Cap = { calls: number; perSeconds: number };

/** Null, or which caps contradict each other and why. */
export function checkCaps(caps: readonly Cap[]): string | null {
  const sorted = caps.map((cap, index) => ({ ...cap, index })).sort((a, b) => a.perSeconds - b.perSeconds);
  for (const [at, longer] of sorted.entries()) {
    for (const shorter of sorted.slice(0, at)) {
      const line = contradiction(shorter, longer);
      if (line) return line;
    }
  }
  return null;
}

type Pauses = { caps: readonly Cap[]; gapSeconds: number | null; afterConversationSeconds: number | null };

/** Null, or what the gap makes useless. */
export function checkGap({ caps, gapSeconds, afterConversationSeconds }: Pauses): string | null {
  if (gapSeconds === null) return null;
  const gap = `gap (${spanText(gapSeconds)})`;
  // A call may end as it begins. If as many gaps as the cap allows calls last as long as the cap, it holds nobody back.
  const at = caps.findIndex(({ calls, perSeconds }) => calls * gapSeconds >= perSeconds);
  if (at >= 0) {
    const cap = caps[at]!;
    const most = Math.ceil(cap.perSeconds / gapSeconds);
    const least = `at most ${most} ${most === 1 ? 'call begins' : 'calls begin'} in ${spanText(cap.perSeconds)}`;
    return `${gap} and caps[${at}] (${capText(cap)}) contradict each other: with the gap ${least}, so caps[${at}] never holds a call back`;
  }
  if (afterConversationSeconds !== null && afterConversationSeconds <= gapSeconds) {
    const pause = `after_conversation (${spanText(afterConversationSeconds)})`;
    return `${gap} and ${pause} contradict each other: with the gap, after_conversation never holds a call back`;
  }
  return null;
}

type Placed = Cap & { index: number };

/** Builds its text only when there is a fault. */
function contradiction(shorter: Placed, longer: Placed): string | null {
  const told = (why: (a: string, b: string) => string) => {
    const [a, b] = [`caps[${shorter.index}]`, `caps[${longer.index}]`];
    return `${a} (${capText(shorter)}) and ${b} (${capText(longer)}) ${why(a, b)}`;
  };
  if (shorter.perSeconds === longer.perSeconds) return told(() => 'are caps of the same time: keep one');
  if (longer.calls < shorter.calls) {
    return told(() => 'contradict each other: the longer time allows fewer calls');
  }
  if (longer.calls === shorter.calls) {
    return told((a, b) => `contradict each other: with ${b}, ${a} never holds a call back`);
  }
  // Caps roll: each of the shorter spans that begin within the longer one may be full.
  if (longer.calls >= shorter.calls * Math.ceil(longer.perSeconds / shorter.perSeconds)) {
    return told((a, b) => `contradict each other: with ${a}, ${b} never holds a call back`);
  }
  return null;
}

function capText({ calls, perSeconds }: Cap): string {
  return `${calls} in ${spanText(perSeconds)}`;
}

/** `90s`, `24h`, `7d`: as a policy writes it. */
export function spanText(seconds: number): string {
  if (seconds % 86_400 === 0 && seconds > 86_400) return `${seconds / 86_400}d`;
  if (seconds % 60 !== 0) return `${seconds}s`;
  return seconds % 3_600 === 0 ? `${seconds / 3_600}h` : `${seconds / 60}m`;
}
