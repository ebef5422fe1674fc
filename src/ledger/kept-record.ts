/** The kept part of a call's record: what a settlement brings, what comes late, and what a result shows. */
export type KeptRecord = {
  duration: number | null;
  cost: number | null;
  /** Of the cost; null where the service does not tell it. */
  currency: string | null;
  transcript: string | null;
  recording_url: string | null;
  structured_data: unknown;
  provider_call_sid: string | null;
  direction: string | null;
  contact_id: string | null;
  metadata: Record<string, unknown> | null;
};

/** As it comes: `record` has the fields that have no column of their own. */
export type ToldRecord = KeptRecord & {
  record: Record<string, unknown> | null;
  /** The service's own word for why the call ended. */
  ended_reason: string | null;
};

/** As a result shows it, with two of those fields. */
export type ShownRecord = KeptRecord & {
  org_id: string | null;
  agent_id: string | null;
  ended_reason: string | null;
};
