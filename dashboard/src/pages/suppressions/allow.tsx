import type { Suppression } from '../../api/description.ts';
import { useAct } from '../../data/queries.ts';
import { Confirm } from '../../kit/dialog.tsx';
import { showToast } from '../../kit/toast.tsx';
import { counted } from '../../kit/words.ts';

/** Takes phones off the list, each for the campaigns that it was on it for. */
type AllowProps = { rows: readonly Suppression[]; onClose(): void };

export function AllowCalls({ rows, onClose }: AllowProps) {
  const remove = useAct('DELETE /api/suppressions');
  const act = async () => {
    let removed = 0;
    for (const campaign of new Set(rows.map((row) => row.campaign))) {
      const those = rows.filter((row) => row.campaign === campaign);
      const phones = those.flatMap(({ phone }) => (phone === null ? [] : [phone]));
      const told = await remove.mutateAsync({ body: { phones, ...(campaign === null ? {} : { campaign }) } });
      removed += told.removed;
    }
    showToast({ kind: 'done', text: `${counted(removed, 'phone is', 'phones are')} off the list.` });
    onClose();
  };
  return (
    <Confirm
      open
      onClose={onClose}
      title={`Allow calls to ${rows.length === 1 ? (rows[0]!.phone ?? '1 phone') : counted(rows.length, 'phone')}?`}
      act={`Allow calls to ${counted(rows.length, 'phone')}`}
      // A failure was told already.
      onAct={() => void act().catch(() => undefined)}
      busy={remove.isPending}
      danger
    >
      Off the list, {rows.length === 1 ? 'this person' : 'these people'} may be called again by later
      campaigns. Those who were skipped stay skipped.
    </Confirm>
  );
}
