import { useMemo } from 'react';
import { useAct, useAsk } from '../../data/queries.ts';
import { FormDialog, TextField, useForm } from '../../kit/form.tsx';
import { navigate } from '../../kit/router.tsx';
import { useNeeds } from '../../shell/needs.ts';
import { personHref } from '../../shell/people.tsx';

/** Calls one phone once, whoever it belongs to; the person's page then shows the call. */
export function CallPhone({ phone, onClose }: { phone: string; onClose(): void }) {
  const agents = useAsk('GET /api/agents', {}).data?.items ?? [];
  const grave = useNeeds().items.find(({ all }) => all);
  const call = useAct('POST /api/calls', {
    onDone(made) {
      onClose();
      navigate({ to: personHref(made) }).catch(() => undefined);
    },
    quiet: true,
  });
  const { typed, given, field, frame } = useForm({ phone, agent: '', name: '' }, call);
  // One key for what is typed: a request that was sent twice makes one call.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another phone or agent is another request.
  const key = useMemo(() => crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}`, [typed]);
  return (
    <FormDialog
      title="Call a phone now"
      onClose={onClose}
      act="Call"
      keep="Call nobody"
      onSend={() =>
        call.run({ body: { phone: typed.phone, agent: typed.agent, ...given() }, idempotencyKey: key })
      }
      {...frame}
    >
      {grave && <p className="text-warn">{grave.what} The call waits until that is over.</p>}
      <TextField
        {...field('phone', 'Phone', 'With + and the country, such as +1 415 555 0100.')}
        type="tel"
      />
      <TextField
        {...field('agent', 'Agent', 'Its id, or its name where the service lists them.')}
        list="agents"
      />
      <datalist id="agents">
        {agents.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </datalist>
      <TextField {...field('name', 'Name', 'May stay empty.')} />
      <p className="text-sm text-quiet">
        Suppressions and the contact rules hold for it, and it is called once.
      </p>
    </FormDialog>
  );
}
