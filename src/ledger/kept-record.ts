/** The kept part of a call's record: what a settlement brings, what comes late, and what a result shows. */
export type KeptRecord = {
  duration: number | null;
  cost: number | null;
  /** The currency of the cost; null if the service does not report it. */
  currency: string | null;
  transcript: string | null;
  recording_url: string | null;
  structured_data: unknown;
  provider_call_sid: string | null;
  direction: string | null;
  contact_id: string | null;
  metadata: Record<string, unknown> | null;
};

/** The record as it arrives: `record` has the fields that have no column of their own. */
export type ToldRecord = KeptRecord & {
  record: Record<string, unknown> | null;
  /** The service's own word for why the call ended. */
  ended_reason: string | null;
};

/** The record as a result shows it, with two of those fields. */
export type ShownRecord = KeptRecord & {
  org_id: string | null;
  agent_id: string | null;
  ended_reason: string | null;
};
