import type { z } from 'zod';
import { orderChange, orderGroups } from './order.ts';
import { flags } from './term.ts';

/** The order as a form asks for it, in this order of the groups. `npm run reference` writes it for the page. */
const titles = {
  who: 'Agent and caller',
  when: 'When',
  tries: 'Retries',
  pace: 'Pace',
  brakes: 'Stop rules',
} satisfies Record<keyof typeof orderGroups, string>;

export function orderForm() {
  return (Object.keys(titles) as (keyof typeof titles)[]).map((name) => ({
    name,
    title: titles[name],
    fields: Object.values(orderGroups[name]).flatMap(({ fields }) =>
      Object.entries(fields as Record<string, z.ZodType>).map(fieldOf),
    ),
  }));
}

function fieldOf([name, schema]: [string, z.ZodType]) {
  const { form, ...flag } = flags.get(schema)!;
  const { label, kind = kindOf(schema, flag), help = null, choices, askedBy = null } = form;
  return {
    name,
    kind,
    label,
    help,
    empty: /\(default: ([^()]*)\)/.exec(flag.help)?.[1] ?? null,
    choices: Object.entries(choices ?? {}).map(([value, words]) => ({ value, label: words })),
    asked_by: askedBy,
    can_change: name in orderChange.shape,
  };
}

/** The kind of a field follows from the values that it accepts. */
function kindOf(
  schema: z.ZodType,
  { many, file, values }: { many?: boolean; file?: 'json'; values?: unknown },
) {
  if (schema.safeParse(true).success) return 'yes';
  if (schema.safeParse(1).success) return 'number';
  if (values) return 'choice';
  if (many) return 'list';
  return file ?? 'text';
}
