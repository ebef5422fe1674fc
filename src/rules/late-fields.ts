/** Fields that a service may add after a call's end: which are missing, and when it is worth asking again. */
export const lateFields = ['cost', 'transcript', 'recording', 'structured_data', 'outcome'] as const;
export type LateField = (typeof lateFields)[number];

/** The fields of a complete record, by outcome: a call that nobody answered has only its cost. */
export const completeRecord: Readonly<Record<string, readonly LateField[]>> = {
  answered: ['cost', 'transcript', 'recording', 'structured_data'],
  voicemail: ['cost', 'recording'],
  'no-answer': ['cost'],
  busy: ['cost'],
  failed: ['cost'],
  canceled: ['cost'],
  dropped: ['cost', 'transcript', 'recording'],
};

/** Seconds from the call's end to the first request, and from each request to the next; none follows the last. */
export const refreshAfter: readonly number[] = [10, 60, 600, 3_600];

/** `isFinal`: nothing can change the outcome any more. */
export type Told = Readonly<{
  isFinal: boolean;
  cost: number | null;
  transcript: string | null;
  recording_url: string | null;
  structured_data: unknown;
}>;

export function missingOf(outcome: string, told: Told): LateField[] {
  const has: Record<LateField, boolean> = {
    // A conversation is not free: 0 stands for a cost that the service has yet to work out.
    cost: told.cost !== null && !(told.cost === 0 && outcome === 'answered'),
    transcript: told.transcript !== null,
    recording: told.recording_url !== null,
    structured_data: told.structured_data !== null,
    outcome: told.isFinal,
  };
  return [...(completeRecord[outcome] ?? []), 'outcome' as const].filter((field) => !has[field]);
}

/** How often a field came late, and how often it was asked for and never came. */
type Lateness = Readonly<{ late: number; vain: number }>;

/** How many calls are asked about before it is known what the service does. */
const trials = 5;
/** A field that comes late in fewer than one of this many calls is not worth the requests. */
const rarest = 20;

/** `tried`: calls that were asked about here before anything was known. */
export function isWorthAsking({ late, vain }: Lateness, tried: number): boolean {
  return late > 0 ? vain <= rarest * late : vain < trials && tried < trials;
}
