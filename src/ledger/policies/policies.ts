import { createHash } from 'node:crypto';
import { createBatch } from '../../base/batch.ts';
import { CarillonError } from '../../base/errors.ts';
import { type Policy, type PolicyInForce, readPolicy } from '../../rules/policy/policy.ts';
import { value } from '../answers.ts';
import type { Database } from '../database.ts';

/** The contact rules: every version, which one is in force, and what they say of a phone. */
export const policySources = ['file', 'api'] as const;
type PolicySource = (typeof policySources)[number];

/** A policy as somebody wrote it, and as it was read. */
export type WrittenPolicy = { body: Record<string, unknown>; policy: Policy; digest: string };

export type PolicyVersion = { version: number; digest: string; source: PolicySource; since: Date };

/** `refused`: the one in force came from a file, and has rules. */
type PolicyMade = { version: number; made: boolean; refused: boolean };

/** Why the rules hold a phone, and until when. */
export type PhoneRule = 'cap' | 'gap' | 'conversation';
type PhoneHold = { rule: PhoneRule; until: Date };

/** A call that may have rung, as the audit judges it: see policies/phone_calls. */
export type AuditedCall = {
  attempt: string;
  at: Date;
  endedAt: Date | null;
  /** Until when it kept its phone; null while it still does. */
  freeAt: Date | null;
  answered: boolean;
  /** The version of the contact rules that it had to keep. */
  policy: number | null;
  place: string;
  /** Nobody knows whether or when it was made, because history was lost. */
  assumed: boolean;
};

/** How many rows one statement frees or forgets. */
const most = 2_000;
const phonePage = 500;

export function createPolicies(db: Database) {
  /** The policy that this process last saw in force. Its text is read once per version. */
  let current: { version: PolicyVersion; policy: Policy | null } | null = null;
  let unreadable: CarillonError | null = null;
  let assumed: Policy | null = null;

  const holdAhead = createBatch<number, void>(async (people) => {
    await db.query('policies/hold_ahead', { people });
    return people.map(() => undefined);
  });

  const read = async (version: number): Promise<Record<string, unknown>> => {
    const [row]: { body: Record<string, unknown> }[] = await db.query('policies/body', { version });
    return row!.body;
  };

  const take = (version: number, body: unknown): Policy | null => {
    unreadable = null;
    try {
      const policy = readPolicy(body);
      return isEmpty(policy) ? null : policy;
    } catch (error) {
      unreadable = new CarillonError(
        'policy-invalid',
        `Version ${version} of the contact rules is in force and cannot be read: ${(error as Error).message}`,
        { remedy: 'Update Carillon on this machine, or set other rules.' },
      );
      return null;
    }
  };

  return {
    /** The rules as this process last saw them; null when there are none. */
    now: ((): Policy | null => assumed ?? current?.policy ?? null) satisfies PolicyInForce,

    /** Rules that this process will put in force when it dials; null takes that back. */
    assume(policy: Policy | null): void {
      assumed = policy;
    },

    /** Set while this version of Carillon cannot read the rules in force. */
    unreadable: (): CarillonError | null => unreadable,

    /** The version that this process last saw in force; null when there never were any rules. */
    version: (): PolicyVersion | null => current?.version ?? null,

    /** Looks up which version is in force; returns the ledger's time. */
    async refresh(): Promise<Date> {
      type Seen = {
        version: number | null;
        digest: string | null;
        source: PolicySource | null;
        madeAt: Date | null;
      };
      const [row]: (Seen & { at: Date })[] = await db.query('policies/in_force');
      const { version, digest, source, madeAt, at } = row!;
      if (version === null) current = null;
      else if (version !== current?.version.version) {
        const policy = take(version, await read(version));
        current = { version: { version, digest: digest!, source: source!, since: madeAt! }, policy };
      }
      return at;
    },

    body: read,

    /** The version that this one replaced. */
    before: (version: number): Promise<number | null> => value(db, 'policies/before', { version }),

    async all(): Promise<Map<number, Policy>> {
      const rows: { version: number; body: Record<string, unknown> }[] = await db.query('policies/versions');
      return new Map(rows.map(({ version, body }) => [version, readPolicy(body)]));
    },

    /** Makes a version, unless the one in force is the same. */
    async set({ body, policy, digest }: WrittenPolicy, source: PolicySource): Promise<PolicyMade> {
      const { caps, gap, conversation } = valuesOf(policy);
      const [made]: PolicyMade[] = await db.query('policies/set', {
        digest,
        source,
        body: JSON.stringify(body),
        binds: !isEmpty(policy),
        caps,
        gap,
        conversation,
      });
      return made!;
    },

    /** Judges a phone by rules at a time, now unless it is given; null when none holds it. */
    async judge(phone: string, policy: Policy, at: Date | null = null): Promise<PhoneHold | null> {
      const { caps, gap, conversation } = valuesOf(policy);
      const [hold]: PhoneHold[] = await db.query('policies/judge', { phone, at, caps, gap, conversation });
      return hold ?? null;
    },

    /** The calls of each phone that was ever called, in their order. */
    async *calls(): AsyncGenerator<AuditedCall[]> {
      type Row = Partial<AuditedCall> & { phone: string };
      for (let after = ''; ; ) {
        const rows = (await db.query('policies/phone_calls', { after, most: phonePage })) as Row[];
        const phones = new Map<string, AuditedCall[]>();
        for (const { phone, ...call } of rows) {
          const calls = phones.get(phone) ?? [];
          phones.set(phone, calls);
          if (call.attempt) calls.push(call as AuditedCall);
        }
        for (const calls of phones.values()) if (calls.length > 0) yield calls;
        if (phones.size < phonePage) return;
        after = rows.at(-1)!.phone;
      }
    },

    /** A person who waits for another attempt waits for the rule that holds them longer, if there is one. */
    async holdAhead(recipient: number): Promise<void> {
      const rules = assumed ?? current?.policy ?? null;
      if (rules && bindsPhones(rules)) await holdAhead(recipient);
    },

    /** Rows that an older version holds are judged again; returns whether there may be more. */
    async freeHeld(): Promise<boolean> {
      const [row] = await db.query('policies/free_held', { most });
      return (row?.freed ?? 0) >= most;
    },

    /** Forgets calls that no rule looks at any more; returns whether there may be more. */
    async prune(): Promise<boolean> {
      const [row] = await db.query('policies/prune', { most });
      return (row?.gone ?? 0) >= most;
    },
  };
}

/** The digest is of the meaning: another order of fields, or 60m for 1h, is the same policy. */
export function writtenPolicy(input: unknown): WrittenPolicy {
  const body = (input ?? {}) as Record<string, unknown>;
  const policy = readPolicy(body);
  const meant = [
    [...policy.hours].sort(),
    [...policy.caps].sort((a, b) => a.perSeconds - b.perSeconds).map((cap) => [cap.calls, cap.perSeconds]),
    policy.gapSeconds,
    policy.afterConversationSeconds,
    [...policy.notOn].sort(),
    policy.unknownState,
  ];
  const digest = createHash('sha256').update(JSON.stringify(meant)).digest('hex');
  return { body, policy, digest };
}

/** Whether some rule depends on the calls that a phone had. */
function bindsPhones({ caps, gapSeconds, afterConversationSeconds }: Policy): boolean {
  return caps.length > 0 || gapSeconds !== null || afterConversationSeconds !== null;
}

export function isEmpty({ hours, caps, gapSeconds, afterConversationSeconds, notOn }: Policy): boolean {
  return (
    hours.length + caps.length + notOn.length === 0 &&
    gapSeconds === null &&
    afterConversationSeconds === null
  );
}

function valuesOf({ caps, gapSeconds, afterConversationSeconds }: Policy) {
  const rules = caps.map(({ calls, perSeconds }) => ({ calls, seconds: perSeconds }));
  return {
    caps: rules.length > 0 ? JSON.stringify(rules) : null,
    gap: gapSeconds,
    conversation: afterConversationSeconds,
  };
}
