import { type FormEvent, useState } from 'react';
import { Problem } from '../../../api/ask.ts';
import type { Person } from '../../../api/description.ts';
import { useAct } from '../../../api/queries.ts';
import { Button } from '../../../kit/button.tsx';
import { AreaField, FormProblem, issueAt, TextField } from '../../../kit/field.tsx';

/** The fields of a person that may be changed, also while the campaign runs: for attempts not yet planned. */
type EditProps = { campaign: string; person: Person; onChanged(): void };

const fields = ['name', 'phone', 'timezone', 'agent', 'variables'] as const;

export function EditPerson({ campaign, person, onChanged }: EditProps) {
  const { phone, name, attempts, variables, input } = person;
  const [unreadable, setUnreadable] = useState<Problem | null>(null);
  const change = useAct('PATCH /api/campaigns/{id}/recipients/{rid}', {
    done: () => 'Changed: it holds for their next call.',
    onDone: onChanged,
    quiet: true,
  });
  const timezone = typeof input?.timezone === 'string' ? input.timezone : '';
  const before = {
    name: name ?? '',
    phone: phone ?? '',
    timezone,
    variables: JSON.stringify(variables ?? {}, null, 2),
  };

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const typed = new FormData(event.currentTarget);
    const text = (field: string) => String(typed.get(field) ?? '').trim();
    setUnreadable(null);
    const body: Parameters<typeof change.run>[0]['body'] = {};
    if (text('name') !== before.name) body.name = text('name') || null;
    if (attempts.length === 0 && text('phone') !== before.phone) body.phone = text('phone');
    if (text('timezone') !== before.timezone) body.timezone = text('timezone') || null;
    if (text('agent') !== '') body.agent = text('agent');
    if (text('variables') !== before.variables) {
      const changed = variablesOf(text('variables'), variables ?? {});
      if (changed === null) return setUnreadable(notJson());
      body.variables = changed;
    }
    if (Object.keys(body).length > 0) change.run({ params: { id: campaign, rid: person.id }, body });
  };
  const problem = unreadable ?? change.error;
  return (
    <details className="border-t border-line pt-3">
      <summary className="font-medium">Change this person</summary>
      <form onSubmit={submit} className="mt-3 grid gap-3 sm:grid-cols-2">
        <TextField label="Name" name="name" defaultValue={before.name} error={issueAt(problem, 'name')} />
        <TextField
          label="Phone"
          name="phone"
          defaultValue={before.phone}
          disabled={attempts.length > 0}
          help={attempts.length > 0 ? 'It stays: they were tried on it.' : undefined}
          error={issueAt(problem, 'phone')}
        />
        <TextField
          label="Time zone"
          name="timezone"
          defaultValue={timezone}
          placeholder="America/Chicago"
          error={issueAt(problem, 'timezone')}
        />
        <TextField
          label="Another agent"
          name="agent"
          placeholder="as now"
          error={issueAt(problem, 'agent')}
        />
        <div className="sm:col-span-2">
          <AreaField
            label="Variables of the next call"
            name="variables"
            defaultValue={before.variables}
            help="JSON. One that is left out is removed."
            error={issueAt(problem, 'variables')}
          />
        </div>
        <div className="space-y-3 sm:col-span-2">
          <FormProblem problem={problem} fields={fields} />
          <Button type="submit" kind="main" busy={change.isPending}>
            Change 1 person
          </Button>
        </div>
      </form>
    </details>
  );
}

/** The variables to set, and null for those that were left out; null where it is not an object. */
function variablesOf(text: string, before: Record<string, unknown>): Record<string, unknown> | null {
  try {
    const typed: unknown = JSON.parse(text);
    if (typeof typed !== 'object' || typed === null || Array.isArray(typed)) return null;
    const removed = Object.keys(before).filter((name) => !(name in typed));
    return { ...typed, ...Object.fromEntries(removed.map((name) => [name, null])) };
  } catch {
    return null;
  }
}

function notJson(): Problem {
  const message = 'must be JSON such as {"city": "Boston"}';
  return new Problem({ detail: message, issues: [{ path: 'variables', message }] }, 0, null);
}
