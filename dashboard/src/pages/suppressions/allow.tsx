import type { Suppression } from '../../api/description.ts';
import { useAct } from '../../data/queries.ts';
import { phoneText } from '../../kit/phone.tsx';
import { showToast } from '../../kit/toast.tsx';
import { counted } from '../../kit/words.ts';
import { AskFirst } from '../../shell/opens.tsx';

/** Takes phones off the list, each for the campaigns that it was on it for. */
type AllowProps = { rows: readonly Suppression[]; words: string; label?: string; small?: boolean };

export function AllowCalls({ rows, ...opener }: AllowProps) {
  const remove = useAct('DELETE /api/suppressions', { quiet: true });
  const act = async () => {
    let removed = 0;
    for (const campaign of new Set(rows.map((row) => row.campaign))) {
      const those = rows.filter((row) => row.campaign === campaign);
      const phones = those.flatMap(({ phone }) => (phone === null ? [] : [phone]));
      const told = await remove.mutateAsync({ body: { phones, ...(campaign === null ? {} : { campaign }) } });
      removed += told.removed;
    }
    showToast({ kind: 'done', text: `${counted(removed, 'phone is', 'phones are')} off the list.` });
  };
  return (
    <AskFirst
      {...opener}
      may="operate"
      title={`Allow calls to ${rows.length === 1 ? phoneText(rows[0]!.phone ?? '1 phone') : counted(rows.length, 'phone')}?`}
      act={`Allow calls to ${counted(rows.length, 'phone')}`}
      of={remove}
      onAct={act}
    >
      Off the list, {rows.length === 1 ? 'this person' : 'these people'} may be called again by later
      campaigns. Those who were skipped stay skipped.
    </AskFirst>
  );
}
