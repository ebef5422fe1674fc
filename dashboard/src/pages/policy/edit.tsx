import { useState } from 'react';
import type { PolicyVersion } from '../../api/description.ts';
import { useAct, useAsk } from '../../data/queries.ts';
import { AreaField, CheckField, issueAt, TextField } from '../../kit/field.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { Caps } from './caps.tsx';
import { capital, hoursOf, stricterOf } from './rules.tsx';
import { formOf, type RulesForm, rulesOf, writtenOf } from './written.ts';

/** Changes the contact rules. The API checks them, and what it says stands at the field. */
const fields = ['hours', 'caps', 'gap', 'after_conversation', 'not_on'];

export function EditRules({ policy, onClose }: { policy: PolicyVersion; onClose(): void }) {
  const [form, setForm] = useState<RulesForm>(() => formOf(rulesOf(policy)));
  // A change of another since the dialog opened must not be overwritten.
  const [base] = useState(policy.version ?? 0);
  const packs = useAsk('GET /api/policy/packs', {});
  const set = useAct('PUT /api/policy', {
    quiet: true,
    done: ({ version }) => `Version ${version} of the contact rules is in force.`,
    onDone: onClose,
  });
  const change = (part: Partial<RulesForm>) => setForm({ ...form, ...part });
  const problem = set.error;
  const written = writtenOf(form);
  const isEmpty = Object.keys(written).length === 0;
  const hadNone = Object.keys(writtenOf(formOf(rulesOf(policy)))).length === 0;
  return (
    <FormDialog
      wide
      title="Change the contact rules"
      onClose={onClose}
      act={isEmpty && !hadNone ? 'Switch all rules off' : 'Put in force'}
      keep="Keep as it is"
      danger={isEmpty && !hadNone}
      isEmpty={isEmpty && hadNone}
      onSend={() => set.run({ body: written, ifMatch: base })}
      busy={set.isPending}
      problem={problem}
      fields={fields}
    >
      <p className="text-quiet">
        They hold from the next call on. People whom the rules before held back are judged again. Write times
        as 30m, 24h or 7d.
      </p>
      <fieldset>
        <legend className="mb-1 font-medium">Legal hours</legend>
        {packs.data?.items.map((pack) => (
          <CheckField
            key={pack.name}
            label={capital(pack.title)}
            help={`${hoursOf(pack)}${stricterOf(pack)} (${pack.name})`}
            checked={form.hours.includes(pack.name)}
            onChange={(event) => {
              const others = form.hours.filter((each) => each !== pack.name);
              change({ hours: event.target.checked ? [...others, pack.name] : others });
            }}
          />
        ))}
        {issueAt(problem, 'hours') && <p className="mt-1 text-sm text-bad">{issueAt(problem, 'hours')}</p>}
      </fieldset>
      <Caps caps={form.caps} onChange={(caps) => change({ caps })} problem={problem} />
      <div className="grid gap-3 sm:grid-cols-2">
        <TextField
          label="Gap"
          help="The least time between two calls to one phone, such as 4h."
          value={form.gap}
          onChange={(event) => change({ gap: event.target.value })}
          error={issueAt(problem, 'gap')}
        />
        <TextField
          label="After a conversation"
          help="The least time after an answered call, such as 7d."
          value={form.afterConversation}
          onChange={(event) => change({ afterConversation: event.target.value })}
          error={issueAt(problem, 'after_conversation')}
        />
      </div>
      <AreaField
        label="Nobody is called on"
        help="Dates and the holidays of a country, one a line: 2026-12-24, holidays:US."
        value={form.notOn}
        onChange={(event) => change({ notOn: event.target.value })}
        error={issueAt(problem, 'not_on')}
      />
    </FormDialog>
  );
}
