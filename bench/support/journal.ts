/** The service's view of one run, in figures: measured the same way for every system. */
export type Seen = {
  calls: number;
  /** Requests a call; at least two. */
  requestsPerCall: number;
  /** Calls a second from the first create to the last result. */
  whole: number;
  /** Calls a second between the 10th and the 90th percentile of creates and results together. */
  steady: number;
};

type Entry = { mono: number; method: string; path: string; answer: number | string; call: string | null };

export async function readJournal(baseUrl: string): Promise<Seen> {
  const response = await fetch(new URL('/_sim/journal', baseUrl));
  const entries = (await response.text())
    .split('\n')
    .filter((line) => line)
    .map((line) => JSON.parse(line) as Entry);
  return judge(entries);
}

/**
 * A call is one create and its last poll. Both count in the steady rate: otherwise a system that placed all calls first
 * and polled them afterwards would seem twice as fast as it is.
 */
function judge(entries: readonly Entry[]): Seen {
  const creates: number[] = [];
  const ends = new Map<string, number>();
  let requests = 0;
  for (const entry of entries) {
    if (!entry.path.startsWith('/v1/call')) continue;
    requests += 1;
    if (entry.method === 'POST' && entry.answer === 201) creates.push(entry.mono);
    if (entry.method === 'GET' && entry.call)
      ends.set(entry.call, Math.max(ends.get(entry.call) ?? 0, entry.mono));
  }
  const calls = creates.length;
  if (calls === 0 || ends.size !== calls)
    throw new Error(`${calls} calls were made and ${ends.size} followed`);
  const marks = [...creates, ...ends.values()].sort((a, b) => a - b);
  const at = (share: number) => marks[Math.min(marks.length - 1, Math.floor(marks.length * share))]!;
  return {
    calls,
    requestsPerCall: requests / calls,
    whole: (calls * 1_000) / (Math.max(...ends.values()) - creates[0]!),
    steady: (calls * 0.8 * 1_000) / (at(0.9) - at(0.1)),
  };
}
