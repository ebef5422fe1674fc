/** What a service may add to a call's record after its end: what is missing, and when it is worth asking again. */
export const lateFields = ['cost', 'transcript', 'recording', 'structured_data'] as const;
export type LateField = (typeof lateFields)[number];

/** What a complete record of a call holds that ended so: a call that nobody took has nothing but its cost. */
export const completeRecord: Readonly<Record<string, readonly LateField[]>> = {
  answered: lateFields,
  voicemail: ['cost', 'recording'],
  'no-answer': ['cost'],
  busy: ['cost'],
  failed: ['cost'],
  canceled: ['cost'],
};

/** Seconds from each question to the next, from the end of the call on; after the last one nobody asks by itself. */
export const refreshAfter: readonly number[] = [10, 60, 600, 3_600];

export type Told = Readonly<{
  cost: number | null;
  transcript: string | null;
  recordingUrl: string | null;
  structuredData: unknown;
}>;

export function missingOf(outcome: string, told: Told): LateField[] {
  const has: Record<LateField, boolean> = {
    cost: told.cost !== null,
    transcript: told.transcript !== null,
    recording: told.recordingUrl !== null,
    structured_data: told.structuredData !== null,
  };
  return (completeRecord[outcome] ?? []).filter((field) => !has[field]);
}

/** How often a field came late, and how often it never came though it was asked for. */
export type Lateness = Readonly<{ late: number; vain: number }>;

/** So many calls are asked for before it is known what the service does. */
const trials = 5;
/** A field that comes late once in so many calls is worth the questions; one that is rarer is not. */
const rarest = 20;

/** `tried`: calls that were asked for here before anything was known. */
export function isWorthAsking({ late, vain }: Lateness, tried: number): boolean {
  return late > 0 ? vain <= rarest * late : vain < trials && tried < trials;
}
