import type { Attempt } from '../ledger/attempts/attempts.ts';
import type { CallInput } from '../voice/call.ts';

/** All that a create says, from the ledger's point of view: a new value is sent when it is here and in `CallInput`. */
type Sayable = Pick<
  Attempt,
  'id' | 'phone' | 'name' | 'variables' | 'override' | 'caller' | 'campaign' | 'traceparent'
> & {
  agentId: string | null;
};

/** The create of an attempt: as it is dialled, and as a person is shown what was sent. */
export function callInputOf(attempt: Sayable): CallInput {
  return {
    agentId: attempt.agentId ?? '',
    phone: attempt.phone,
    ...(attempt.name ? { name: attempt.name } : {}),
    variables: attempt.variables,
    override: attempt.override,
    ...(attempt.caller ? { from: attempt.caller } : {}),
    stamp: attempt.id,
    campaign: attempt.campaign,
    traceparent: attempt.traceparent,
  };
}
