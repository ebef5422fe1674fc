/** What the ledger keeps of a call's record: what a settlement brings, what comes late, and what a result shows. */
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
