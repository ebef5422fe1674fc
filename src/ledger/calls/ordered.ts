import { activityOf } from '../activity/verbs.ts';

/** That a call was ordered, for the activity: the statement that adds the person adds their id. */
export function orderedOf(
  phone: string,
  { agent, overriddenBy }: { agent?: string | undefined; overriddenBy?: string | null | undefined },
): string {
  const after = { phone, agent, ...(overriddenBy ? { ignore_policy: true } : {}) };
  return activityOf({ verb: 'call.create', after });
}
