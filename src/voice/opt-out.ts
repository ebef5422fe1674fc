/** Finds in a call's record what the person wants: no more calls, or another at a time. */
export type OptOutRule = Readonly<{
  /** A path into the record, such as structured_data.opt_out. */
  path: string;
  value: string;
}>;

/** `absent`: no rule's path exists in the record. */
export type OptOutSight = 'said' | 'unsaid' | 'absent';

const pathForm = /^[^\s.=]+(\.[^\s.=]+)*$/;
const longestPath = 200;
/** Fields of a result that hold other fields, and those that hold one value. */
const objects: readonly string[] = ['metadata', 'structured_data'];
const values: readonly string[] = [
  'id',
  'phone_number',
  'status',
  'direction',
  'org_id',
  'agent_id',
  'duration',
  'recording_url',
  'cost',
  'contact_id',
  'provider_call_sid',
  'created_at',
  'updated_at',
  'transcript',
];

/** Why a path can never lead to a value, or null. */
export function findPathFault(path: string, example = 'structured_data.opt_out'): string | null {
  if (path.length > longestPath || !pathForm.test(path)) {
    return `is not a path: write the names of fields with a dot between them, such as ${example}`;
  }
  const [first, ...rest] = path.split('.');
  if (rest.length > 0 && values.includes(first!)) {
    return `leads nowhere: ${first} of a call’s record holds no other fields`;
  }
  if (rest.length === 0 && objects.includes(first!)) return `names no field in ${first}`;
  return null;
}

export function optOutRules(given: Readonly<Record<string, unknown>> | undefined): OptOutRule[] {
  return Object.entries(given ?? {}).map(([path, value]) => ({ path, value: String(value) }));
}

/** Null without a rule. Values are compared as text, without case: an agent may write true, "true" or "True". */
export function seeOptOut(rules: readonly OptOutRule[], record: object): OptOutSight | null {
  if (rules.length === 0) return null;
  let sight: OptOutSight = 'absent';
  for (const { path, value } of rules) {
    const found = valueAt(record, path);
    if (found === undefined) continue;
    if (textOf(found) === textOf(value)) return 'said';
    sight = 'unsaid';
  }
  return sight;
}

/** A path that was in none of this many conversations' records is probably misspelt. */
const enough = 20;

export function isNeverFound({ read, found }: { read: number; found: number }): boolean {
  return read >= enough && found === 0;
}

export function valueAt(record: object, path: string): unknown {
  let at: unknown = record;
  for (const name of path.split('.')) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return undefined;
    at = (at as Record<string, unknown>)[name];
  }
  return at;
}

function textOf(value: unknown): string {
  return (typeof value === 'object' ? JSON.stringify(value) : String(value)).trim().toLowerCase();
}
