import type { Outcome } from './outcomes.ts';

/** A service's words in ours: nobody above this border reads a status, a code or a field of a record. */
export type CallInput = Readonly<{
  agentId: string;
  phone: string;
  name?: string | null | undefined;
  variables?: Readonly<Record<string, unknown>> | null | undefined;
  /** The settings of its agent that this call overrides. */
  override?: Readonly<Record<string, unknown>> | null | undefined;
  from?: Caller | null | undefined;
  /** The attempt's id, by which the call is found again, and the campaign's name. */
  stamp?: string | null | undefined;
  campaign?: string | null | undefined;
  /** The span of whoever ordered the call, for a service that takes part in traces. */
  traceparent?: string | null | undefined;
}>;

/** The number to call from: E.164, or the service's id of it. */
export type Caller = Readonly<{ number: string } | { numberId: string }>;

/** A call that was made, with what a question about it needs besides its id. */
export type CallRef = Readonly<{
  id: string;
  /** The agent that was asked for. */
  agentId?: string | null | undefined;
  /** The address at which the service lets the call be ended, if its create told one. */
  handle?: string | null | undefined;
}>;

/** The service has made a call: its answer to the create. */
export type Placed = Readonly<{
  id: string;
  /** The service's word for where the call stands; only shown, never interpreted. */
  status: string | null;
  phone: string | null;
  sid: string | null;
  handle: string | null;
  /** The service says that it had no room for it, and may dial it later or never: its record will tell. */
  isFull: boolean;
}>;

/** `undialled`: the call has ended, and nobody was dialled. */
export type CallStage =
  | Readonly<{ kind: 'live' }>
  | Readonly<{ kind: 'ended'; outcome: Outcome }>
  | Readonly<{ kind: 'undialled'; why: 'no-room' | 'no-credit' }>;

/** The part of a record that is kept in columns, under their names. Null and absent mean the same. */
export type KeptFields = {
  duration: number | null;
  cost: number | null;
  currency: string | null;
  transcript: string | null;
  recording_url: string | null;
  structured_data: unknown;
  provider_call_sid: string | null;
  direction: string | null;
  contact_id: string | null;
  metadata: Record<string, unknown> | null;
};

export type Call = Readonly<{
  id: string;
  stage: CallStage;
  /** The same as in `Placed`. */
  status: string | null;
  phone: string | null;
  /** The service's own word for why it ended. */
  endedReason: string | null;
  /** Nothing more is expected that could change the outcome. */
  isFinal: boolean;
  /** No rule knows the ended reason. */
  isNewReason: boolean;
  startedAt: string | null;
  endedAt: string | null;
  kept: KeptFields;
  orgId: string | null;
  /** The service's name for the agent that spoke. */
  agentId: string | null;
  /** The other fields of the record, as many as fit, including these two. */
  rest: Record<string, unknown>;
  /** The whole record as it came, for people who look at it and for the paths of opt-outs. */
  record: Record<string, unknown>;
  /** The stamp that its create carried: it tells whose call it is. */
  stamp: string | null;
}>;

export type ServiceNumber = Readonly<{
  id: string;
  phone: string;
  provider: string | null;
  /** The service's record of it, without credentials. */
  record: Record<string, unknown>;
}>;

export type ServiceAgent = Readonly<{
  id: string;
  name: string | null;
  /** Another id of the same agent, if the service asks for calls by it. */
  ref: string | null;
}>;

/** A page of a list; `next` asks for the following one, and null is the end. `cut`: why the list is not read further. */
export type ListPage<T> = Readonly<{ items: T[]; next: Turn | null; cut?: string }>;

/** A place in a list, in the service's own way of counting. */
export type Turn = Readonly<{ cursor?: string; offset?: number; page?: number; before?: string }>;

/** The call that `find` looks for. */
export type Sought = Readonly<{
  stamp: string;
  phone: string;
  agentId: string | null;
  /** When its create left, at the earliest, and until when it may have arrived, in milliseconds. */
  since: number;
  until: number;
}>;

/** A request as it would be sent, without the key. */
export type Described = Readonly<{
  method: string;
  url: string;
  body: unknown;
}>;
