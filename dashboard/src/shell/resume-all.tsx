import { useState } from 'react';
import { useAct, useAsk } from '../data/queries.ts';
import { Loading } from '../kit/empty.tsx';
import { TextField } from '../kit/field.tsx';
import { FormDialog } from '../kit/form-dialog.tsx';
import { useForm } from '../kit/use-fields.ts';
import { counted } from '../kit/words.ts';

/** Resumes what the stop button stopped, and asks once for the reason. */
export function ResumeAll({ onClose }: { onClose(): void }) {
  const found = useAsk('GET /api/resume', {});
  const [refused, setRefused] = useState<string[]>([]);
  const resume = useAct('POST /api/resume', {
    done: ({ items }) => `${counted(items.length, 'campaign continues', 'campaigns continue')}.`,
    onDone(told) {
      if (told.refused.length === 0) onClose();
      else setRefused(told.refused.map(({ campaign, message }) => `${campaign}: ${message}`));
    },
  });
  const { field, given, frame } = useForm(
    { reason: '' },
    { isPending: resume.isPending, error: found.error },
  );
  const { campaigns = 0, people = 0, names = [] } = found.data ?? {};
  return (
    <FormDialog
      title={`Resume ${counted(campaigns, 'campaign')}?`}
      onClose={onClose}
      act={`Resume: call ${counted(people, 'person', 'people')}`}
      keep="Keep them paused"
      isEmpty={campaigns === 0}
      onSend={() => resume.run({ body: given() })}
      {...frame}
    >
      {found.isPending && <Loading lines={2} />}
      {names.length > 0 && (
        <p>
          {names.slice(0, 8).join(', ')}
          {names.length > 8 && `, and ${names.length - 8} more`}. Campaigns that were paused before stay as
          they are.
        </p>
      )}
      <TextField
        label="Why it continues"
        help="May stay empty; the activity keeps it."
        {...field('reason')}
      />
      {refused.map((words) => (
        <p key={words} role="alert" className="text-bad">
          {words}
        </p>
      ))}
    </FormDialog>
  );
}
