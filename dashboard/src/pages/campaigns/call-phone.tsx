import { useAct, useKeyOf } from '../../data/queries.ts';
import { FormDialog, TextField, useForm } from '../../kit/form.tsx';
import { navigate } from '../../kit/router.tsx';
import { AgentField } from '../../order/control.tsx';
import { useNeeds } from '../../shell/needs.ts';
import { personHref } from '../../shell/people.tsx';

/** Calls one phone once, whoever it belongs to; the person's page then shows the call. */
export function CallPhone({ phone, onClose }: { phone: string; onClose(): void }) {
  const grave = useNeeds().items.find(({ all }) => all);
  const call = useAct('POST /api/calls', {
    onDone(made) {
      onClose();
      navigate({ to: personHref(made) }).catch(() => undefined);
    },
    quiet: true,
  });
  const { typed, given, field, frame } = useForm({ phone, agent: '', name: '' }, call);
  const idempotencyKey = useKeyOf(typed);
  return (
    <FormDialog
      title="Call a phone now"
      onClose={onClose}
      act="Call"
      keep="Call nobody"
      onSend={() =>
        call.run({ body: { phone: typed.phone, agent: typed.agent, ...given() }, idempotencyKey })
      }
      {...frame}
    >
      {grave && <p className="text-warn">{grave.what} The call waits until that is over.</p>}
      <TextField
        {...field('phone', 'Phone', 'With + and the country, such as +1 415 555 0100.')}
        type="tel"
      />
      <AgentField {...field('agent', 'Agent', 'Its id, or its name where the service lists them.')} />
      <TextField {...field('name', 'Name', 'May stay empty.')} />
      <p className="text-sm text-quiet">
        Suppressions and the contact rules hold for it, and it is called once.
      </p>
    </FormDialog>
  );
}
