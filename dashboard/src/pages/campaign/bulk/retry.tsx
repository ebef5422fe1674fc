import type { Campaign } from '../../../api/description.ts';
import { stateText } from '../../../kit/badge.tsx';
import { CheckField } from '../../../kit/field.tsx';
import { useFields } from '../../../kit/use-fields.ts';
import { outcomes } from '../outcomes.ts';
import { BulkDialog } from './dialog.tsx';

/** Tries people again by how their last call ended: one more attempt for each, whatever the settings allow. */
type RetryProps = { campaign: Campaign; onClose(): void };

export function RetryPeople({ campaign: { id, name, state }, onClose }: RetryProps) {
  const { chosen, box } = useFields({ outcome: 'no-answer busy failed' }, null);
  const wanted = chosen('outcome');
  // Those who wait for a retry by the order are counted too, and can be called sooner.
  const filter = { campaign: id, outcome: wanted.join(',') };
  return (
    <BulkDialog
      title={`Try people of ${name} again`}
      verb="Try again"
      body={wanted.length === 0 ? null : { act: 'retry', filter }}
      onClose={onClose}
    >
      <p>
        Everyone whose last call ended in one of these ways gets one more attempt, whatever the settings
        allow.
      </p>
      <fieldset className="grid grid-cols-2 gap-1">
        <legend className="sr-only">Last outcome</legend>
        {outcomes.map((outcome) => (
          <CheckField key={outcome} label={stateText(outcome)} {...box('outcome', outcome)} />
        ))}
      </fieldset>
      {state === 'done' && <p className="text-quiet">The campaign is done, and continues with them.</p>}
      {state === 'paused' && (
        <p className="text-quiet">The campaign is paused: they are called when it is resumed.</p>
      )}
    </BulkDialog>
  );
}
