import { type Field, pause, strike } from './strike.ts';

/** A busy machine with two cores may take this long to start the processes; after that nothing will come. */
const startMs = 180_000;

/** The schedule counts from the first create. */
export async function firstCreate({ ground }: Field, signal: AbortSignal): Promise<void> {
  for (const end = Date.now() + startMs; Date.now() < end && !signal.aborted; await pause(50))
    if ((await ground.service.state()).created > 0) return;
  throw new Error('no call was made within three minutes of the start');
}

/** Strikes every fault at its time, until the schedule ends or nobody is left to call. */
export async function sufferAll(field: Field, signal: AbortSignal, end: () => void): Promise<void> {
  const { plan, crew, diary } = field;
  const began = performance.now();
  const under: Promise<void>[] = [];
  const isOver = () => signal.aborted || crew.members()[0]?.isRetired() === true;
  for (const { atMs, fault } of plan.events) {
    while (!isOver() && performance.now() - began < atMs)
      await pause(Math.min(100, atMs - (performance.now() - began)));
    if (isOver()) break;
    under.push(
      strike(fault, field).catch((error: Error) => diary.note(`${fault.kind} failed: ${error.message}`)),
    );
  }
  while (!isOver() && performance.now() - began < plan.strikeMs) await pause(100);
  end();
  await Promise.all(under);
}
