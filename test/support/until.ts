/**
 * Asks until the expected answer comes; if it never comes, says what it was at last. It asks less often the longer it
 * waits: on a busy machine, questions hold up what is asked for.
 */
export async function until<T>(
  ask: () => Promise<T> | T,
  isSo: (answer: T) => boolean = Boolean,
  withinMs = 240_000,
): Promise<T> {
  const end = performance.now() + withinMs;
  for (let pauseMs = 10; ; pauseMs = Math.min(pauseMs * 1.2, 60)) {
    const answer = await ask();
    if (isSo(answer)) return answer;
    if (performance.now() > end) {
      const last = JSON.stringify(answer) ?? String(answer);
      throw new Error(`it did not come within ${withinMs} ms; at last it was ${last.slice(0, 2_000)}`);
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
