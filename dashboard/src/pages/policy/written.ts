import type { BodyOf } from '../../api/ask.ts';
import type { PolicyVersion } from '../../api/description.ts';

/** Contact rules as they are written, and as the fields of a form hold them while they are changed. */
export type WrittenRules = Exclude<BodyOf<'PUT /api/policy'>, null | undefined>;

export function rulesOf({ body }: PolicyVersion): WrittenRules {
  return (body ?? {}) as WrittenRules;
}

export function typedOf({ hours, caps, gap, after_conversation, not_on }: WrittenRules) {
  return {
    hours: (hours ?? []).join(' '),
    caps: (caps ?? []).map(({ calls, per }) => `${calls} in ${per}`).join('\n'),
    gap: gap ?? '',
    after_conversation: after_conversation ?? '',
    not_on: (not_on ?? []).join('\n'),
  };
}

/** Empty fields are left out. Whether the rest makes sense is the API's to say. */
export function writtenOf(typed: ReturnType<typeof typedOf>): WrittenRules {
  const [gap, pause] = [typed.gap.trim(), typed.after_conversation.trim()];
  const hours = typed.hours.split(' ').filter(Boolean);
  const dates = typed.not_on.split(/[\s,]+/).filter(Boolean);
  const caps = typed.caps
    .split(/[\n,;]+/)
    .map((line) => line.trim())
    .filter(Boolean)
    .map((line) => {
      const [, calls = Number.NaN, per = line] =
        /^(\d+)\s*(?:calls?\s*)?(?:in|per|\/)?\s*(\S*)$/.exec(line) ?? [];
      return { calls: Number(calls), per };
    });
  return {
    ...(hours.length > 0 && { hours }),
    ...(caps.length > 0 && { caps }),
    ...(gap && { gap }),
    ...(pause && { after_conversation: pause }),
    ...(dates.length > 0 && { not_on: dates }),
  };
}
