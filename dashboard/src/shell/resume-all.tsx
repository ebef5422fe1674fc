import { useState } from 'react';
import { useAct, useAsk } from '../data/queries.ts';
import { Button } from '../kit/button.tsx';
import { Dialog } from '../kit/dialog.tsx';
import { Loading, Trouble } from '../kit/empty.tsx';
import { TextField } from '../kit/field.tsx';
import { counted } from '../kit/words.ts';

/** Resumes what the stop button stopped, and asks once for the reason. */
export function ResumeAll({ onClose }: { onClose(): void }) {
  const found = useAsk('GET /api/resume', {});
  const [reason, setReason] = useState('');
  const [refused, setRefused] = useState<string[]>([]);
  const resume = useAct('POST /api/resume', {
    done: ({ items }) => `${counted(items.length, 'campaign continues', 'campaigns continue')}.`,
    onDone(told) {
      if (told.refused.length === 0) onClose();
      else setRefused(told.refused.map(({ campaign, message }) => `${campaign}: ${message}`));
    },
  });
  const { campaigns = 0, people = 0, names = [] } = found.data ?? {};
  return (
    <Dialog
      open
      onClose={onClose}
      locked={resume.isPending}
      title={`Resume ${counted(campaigns, 'campaign')}?`}
      acts={
        <>
          <Button onClick={onClose} disabled={resume.isPending}>
            Keep them paused
          </Button>
          <Button
            kind="main"
            busy={resume.isPending}
            disabled={campaigns === 0}
            onClick={() => resume.run({ body: reason.trim() === '' ? {} : { reason: reason.trim() } })}
          >
            Resume: call {counted(people, 'person', 'people')}
          </Button>
        </>
      }
    >
      {found.error && <Trouble problem={found.error} />}
      {found.isPending && <Loading lines={2} />}
      {names.length > 0 && (
        <p>
          {names.slice(0, 8).join(', ')}
          {names.length > 8 && `, and ${names.length - 8} more`}. Campaigns that were paused before stay as
          they are.
        </p>
      )}
      <div className="mt-4">
        <TextField
          label="Why it continues"
          help="May stay empty; the activity keeps it."
          value={reason}
          onChange={(event) => setReason(event.target.value)}
        />
      </div>
      {refused.map((words) => (
        <p key={words} role="alert" className="mt-2 text-bad">
          {words}
        </p>
      ))}
    </Dialog>
  );
}
