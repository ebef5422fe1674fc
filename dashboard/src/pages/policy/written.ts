import type { BodyOf } from '../../api/ask.ts';
import type { PolicyVersion } from '../../api/description.ts';

/** Contact rules as they are written, and as a form holds them while they are changed. */
export type WrittenRules = Exclude<BodyOf<'PUT /api/policy'>, null | undefined>;

export type RulesForm = {
  hours: readonly string[];
  caps: readonly { calls: string; per: string }[];
  gap: string;
  afterConversation: string;
  notOn: string;
};

export function rulesOf({ body }: PolicyVersion): WrittenRules {
  return (body ?? {}) as WrittenRules;
}

export function formOf({ hours, caps, gap, after_conversation, not_on }: WrittenRules): RulesForm {
  return {
    hours: hours ?? [],
    caps: (caps ?? []).map(({ calls, per }) => ({ calls: String(calls), per })),
    gap: gap ?? '',
    afterConversation: after_conversation ?? '',
    notOn: (not_on ?? []).join('\n'),
  };
}

/** Empty fields are left out. Whether the rest makes sense is the API's to say. */
export function writtenOf({ hours, caps, gap, afterConversation, notOn }: RulesForm): WrittenRules {
  const dates = notOn
    .split(/[\s,]+/)
    .map((each) => each.trim())
    .filter(Boolean);
  return {
    ...(hours.length > 0 && { hours: [...hours] }),
    ...(caps.length > 0 && {
      caps: caps.map(({ calls, per }) => ({
        calls: calls.trim() === '' ? Number.NaN : Number(calls),
        per: per.trim(),
      })),
    }),
    ...(gap.trim() && { gap: gap.trim() }),
    ...(afterConversation.trim() && { after_conversation: afterConversation.trim() }),
    ...(dates.length > 0 && { not_on: dates }),
  };
}
