import type { Campaign } from '../../../api/description.ts';
import { useAct } from '../../../data/queries.ts';
import { Confirm } from '../../../kit/dialog.tsx';
import { counted } from '../../../kit/words.ts';

/** Asks the service once more for what its records lack; nobody is called for it. */
type RefreshProps = { campaign: Campaign; onClose(): void };

export function RefreshRecords({ campaign: { id, name, balance }, onClose }: RefreshProps) {
  const refresh = useAct('POST /api/campaigns/{id}/refresh', {
    done: ({ scheduled }) =>
      scheduled === 0
        ? `No record of ${name} lacks anything.`
        : `The service is asked for ${counted(scheduled, 'call')} of ${name}.`,
    onDone: onClose,
    quiet: true,
  });
  return (
    <Confirm
      open
      onClose={onClose}
      title="Ask for missing results?"
      act="Ask for them"
      onAct={() => refresh.run({ params: { id } })}
      busy={refresh.isPending}
      problem={refresh.error}
    >
      <p>
        Records of {counted(balance.done, 'person', 'people')} are looked through. The service is asked once
        for each ended call whose record lacks its transcript, its data or its cost. Nobody is called.
      </p>
    </Confirm>
  );
}
