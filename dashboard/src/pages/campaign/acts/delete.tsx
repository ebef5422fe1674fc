import { useNavigate } from '@tanstack/react-router';
import type { Campaign } from '../../../api/description.ts';
import { useAct } from '../../../data/queries.ts';
import { Confirm } from '../../../kit/dialog.tsx';
import { counted } from '../../../kit/words.ts';

/** Deletes the campaign with everything that was learned by it. */
type DeleteProps = { campaign: Campaign; onClose(): void };

export function DeleteCampaign({ campaign: { id, name, balance }, onClose }: DeleteProps) {
  const navigate = useNavigate();
  const remove = useAct('DELETE /api/campaigns/{id}', {
    done: ({ rows, done }) =>
      done
        ? `${name} is deleted with ${counted(rows, 'row')}.`
        : `${name} is deleted; the rest of its rows follow within minutes.`,
    onDone: () => void navigate({ to: '/campaigns' }),
    quiet: true,
  });
  const people = counted(balance.rows, 'row');
  return (
    <Confirm
      open
      onClose={onClose}
      title={`Delete ${name}?`}
      act={`Delete ${people}`}
      danger
      onAct={() => remove.run({ params: { id } })}
      busy={remove.isPending}
      problem={remove.error}
    >
      <p>
        {people} with every attempt, reject and result are deleted. This cannot be undone; download the
        results first. The contact rules’ counts by phone stay.
      </p>
    </Confirm>
  );
}
