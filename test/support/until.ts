/** Asks until the expected answer comes; if it never comes, says what it was at last. */
export async function until<T>(
  ask: () => Promise<T> | T,
  isSo: (answer: T) => boolean = Boolean,
  withinMs = 240_000,
): Promise<T> {
  const end = performance.now() + withinMs;
  for (;;) {
    const answer = await ask();
    if (isSo(answer)) return answer;
    if (performance.now() > end) {
      const last = JSON.stringify(answer) ?? String(answer);
      throw new Error(`it did not come within ${withinMs} ms; at last it was ${last.slice(0, 2_000)}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
