import { useState } from 'react';
import type { PolicyVersion } from '../../api/description.ts';
import { useDialogAct } from '../../data/queries.ts';
import { AreaField, TextField } from '../../kit/field.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { useForm } from '../../kit/use-fields.ts';
import { numberOf, rulesOf, type WrittenRules } from '../../order/rules.ts';

/** Changes the contact rules but for the legal hours. The API checks them, and what it says stands at the field. */
export function EditRules({ policy, onClose }: { policy: PolicyVersion; onClose(): void }) {
  // A change of another since the dialog opened must not be overwritten; the hours are those of now, whoever set them.
  const [opened] = useState(policy);
  const [was, is] = [opened, policy].map((each) => JSON.stringify(typedOf(rulesOf(each))));
  const base = (was === is ? policy : opened).version ?? 0;
  const set = useDialogAct(
    'PUT /api/policy',
    onClose,
    ({ version }) => `Version ${version} of the contact rules is in force.`,
  );
  const { typed, field, frame } = useForm(typedOf(rulesOf(policy)), set);
  const { hours } = rulesOf(policy);
  const written = { ...writtenOf(typed), ...(hours && { hours }) };
  const isEmpty = numberOf(written) === 0;
  return (
    <FormDialog
      wide
      title="Change the contact rules"
      onClose={onClose}
      act={isEmpty ? 'Switch all rules off' : 'Put in force'}
      keep="Keep as it is"
      danger={isEmpty}
      isEmpty={isEmpty && numberOf(rulesOf(policy)) === 0}
      onSend={() => set.run({ body: written, ifMatch: base })}
      {...frame}
    >
      <p className="text-quiet">
        They apply from the next call on; people who wait by the rules before are judged again. Write times as
        30m, 24h or 7d.
      </p>
      <AreaField
        label="Caps"
        help="How often one phone is called at most, one a line: 3 in 24h."
        rows={2}
        {...field('caps')}
      />
      <div className="grid gap-3 sm:grid-cols-2">
        <TextField
          label="Gap"
          help="The least time between two calls to one phone, such as 4h."
          {...field('gap')}
        />
        <TextField
          label="After a conversation"
          help="The least time after an answered call, such as 7d."
          {...field('after_conversation')}
        />
      </div>
      <AreaField
        label="Days without calls"
        help="Dates and the holidays of a country, one a line: 2026-12-24, holidays:US."
        rows={3}
        {...field('not_on')}
      />
    </FormDialog>
  );
}

const typedOf = ({ caps, gap, after_conversation, not_on }: WrittenRules) => ({
  caps: (caps ?? []).map(({ calls, per }) => `${calls} in ${per}`).join('\n'),
  gap: gap ?? '',
  after_conversation: after_conversation ?? '',
  not_on: (not_on ?? []).join('\n'),
});

/** Empty fields are left out. Whether the rest makes sense is the API's to say. */
function writtenOf(typed: ReturnType<typeof typedOf>): WrittenRules {
  const [gap, pause] = [typed.gap.trim(), typed.after_conversation.trim()];
  const dates = typed.not_on.split(/[\s,]+/).filter(Boolean);
  const lines = typed.caps.split(/[\n,;]+/).map((line) => line.trim());
  const caps = lines.filter(Boolean).map((line) => {
    const [, calls = Number.NaN, per = line] =
      /^(\d+)\s*(?:calls?\s*)?(?:in|per|\/)?\s*(\S*)$/.exec(line) ?? [];
    return { calls: Number(calls), per };
  });
  return {
    ...(caps.length > 0 && { caps }),
    ...(gap && { gap }),
    ...(pause && { after_conversation: pause }),
    ...(dates.length > 0 && { not_on: dates }),
  };
}
