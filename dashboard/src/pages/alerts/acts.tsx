import { useState } from 'react';
import type { AlertAddress } from '../../api/description.ts';
import { useAct } from '../../data/queries.ts';
import { Button } from '../../kit/button.tsx';
import { Confirm } from '../../kit/dialog.tsx';
import { showToast } from '../../kit/toast.tsx';
import { count, counted } from '../../kit/words.ts';
import { useMay } from '../../shell/me.ts';

/** The acts on an address: send it a test and say what happened, remove it. */
export function TestAddress({ of: { id } }: { of: AlertAddress }) {
  const mayTest = useMay('operate');
  const test = useAct('POST /api/alerts/addresses/{id}/test', {
    onDone({ delivered, answer, error, ms }) {
      if (delivered) showToast({ kind: 'done', text: `The test arrived in ${count(ms)} ms: ${answer}.` });
      else showToast({ kind: 'failed', text: `The test did not arrive: ${error}.` });
    },
  });
  if (!mayTest) return null;
  return (
    <Button busy={test.isPending} onClick={() => test.run({ params: { id } })}>
      Test
    </Button>
  );
}

export function RemoveAddress({ of: { id, address, held } }: { of: AlertAddress }) {
  const mayRemove = useMay('admin');
  const [open, setOpen] = useState(false);
  const remove = useAct('DELETE /api/alerts/addresses/{id}', {
    done: () => 'The address is removed.',
    onDone: () => setOpen(false),
  });
  if (!mayRemove) return null;
  return (
    <>
      <Button onClick={() => setOpen(true)}>Remove</Button>
      <Confirm
        open={open}
        onClose={() => setOpen(false)}
        title="Remove the address?"
        act="Remove"
        danger
        busy={remove.isPending}
        onAct={() => remove.run({ params: { id } })}
      >
        <p className="break-all">{address}</p>
        <p>
          It is told of no alert any more
          {held > 0 && `, and ${counted(held, 'alert that waits is', 'alerts that wait are')} forgotten`}.
        </p>
      </Confirm>
    </>
  );
}
