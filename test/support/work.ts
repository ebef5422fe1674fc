/** Counts the work that something causes: how often each block of our code, and of the libraries that read for us, ran. */
import { Session } from 'node:inspector/promises';

const counted = /\/src\/|\/node_modules\/(?:zod|libphonenumber-js)\//;

type Act = () => Promise<unknown>;
export type Counter = {
  of(act: Act): Promise<number>;
  /** Of several, one after the other: to take the counts costs more than most acts. */
  ofEach(...acts: Act[]): Promise<number[]>;
  close(): Promise<void>;
};

export async function countWork(): Promise<Counter> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  const take = async () => {
    const { result } = await session.post('Profiler.takePreciseCoverage');
    return result
      .filter(({ url }) => counted.test(url))
      .flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges))
      .reduce((sum, { count }) => sum + count, 0);
  };
  const ofEach = async (...acts: Act[]) => {
    await take();
    const counts: number[] = [];
    for (const act of acts) {
      await act();
      counts.push(await take());
    }
    return counts;
  };
  return {
    ofEach,
    of: async (act) => (await ofEach(act))[0]!,
    async close() {
      await session.post('Profiler.stopPreciseCoverage');
      session.disconnect();
    },
  };
}
