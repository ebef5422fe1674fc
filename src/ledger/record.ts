/** The kept part of a call's record: what a settlement brings, what comes late, and what a result shows. */
export type KeptRecord = {
  duration: number | null;
  cost: number | null;
  transcript: string | null;
  recordingUrl: string | null;
  structuredData: unknown;
  providerCallSid: string | null;
  direction: string | null;
  contactId: string | null;
  metadata: Record<string, unknown> | null;
};

/** As it comes: `record` has the fields that have no column of their own. */
export type ToldRecord = KeptRecord & { record: Record<string, unknown> | null };

/** As a result shows it, with two of those fields. */
export type ShownRecord = KeptRecord & { orgId: string | null; agentId: string | null };

/** The fields of a record that have a column. */
export const recordColumns: ReadonlySet<string> = new Set([
  'id',
  'status',
  'duration',
  'cost',
  'transcript',
  'recording_url',
  'structured_data',
  'provider_call_sid',
  'direction',
  'contact_id',
  'metadata',
]);
