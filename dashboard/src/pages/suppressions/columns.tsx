import type { Suppression } from '../../api/description.ts';
import { useAct } from '../../data/queries.ts';
import { Phone, phoneText } from '../../kit/phone.tsx';
import { type Column, left, right } from '../../kit/table/data-table.tsx';
import { Time } from '../../kit/time.tsx';
import { showToast } from '../../kit/toast.tsx';
import { counted } from '../../kit/words.ts';
import { personAddress } from '../../shell/find.ts';
import { AskFirst } from '../../shell/opens.tsx';
import { PageLink } from '../../shell/page-link.tsx';

/** The columns of the list: whom, why, by which campaign, until when. */
export const sources = [
  { value: 'opt-out', label: 'asked on a call' },
  { value: 'manual', label: 'by hand' },
  { value: 'import', label: 'imported' },
  { value: 'api', label: 'through the API' },
] as const;

export const sourceText = (source: Suppression['source']) =>
  sources.find(({ value }) => value === source)?.label ?? source;

/** A phone may be on the list for several campaigns. */
export const keyOf = ({ phone, campaign }: Suppression) => `${phone} ${campaign ?? ''}`;

export type Listed = Suppression & { id: string };

/** Why, in words. What a person asked for on a call says it all; what was made by hand may hold in one campaign only. */
export const whyText = ({ campaign, reason, source }: Suppression) =>
  reason?.startsWith('asked on a call')
    ? reason
    : [campaign && `only in ${campaign}`, reason, sourceText(source)].filter(Boolean).join(' · ');

/** The button of a row shows under the pointer and the focus. */
export const columns: readonly Column<Listed>[] = [
  left(
    'phone',
    'Phone',
    (row) => (
      <PageLink to={personAddress(row)} className="font-medium hover:underline">
        <Phone phone={row.phone} />
      </PageLink>
    ),
    { main: true },
  ),
  left('who', 'Who', ({ name }) => name, { from: 'sm', has: ({ name }) => name !== null }),
  left('why', 'Reason', whyText, { from: 'sm' }),
  left('until', 'How long', ({ until }) => <HeldUntil at={until} />, {
    from: 'sm',
    has: ({ until }) => until !== null,
  }),
  left(
    'allow',
    '',
    (row) => (
      <span className="opacity-0 [tr:focus-within_&]:opacity-100 [tr:hover_&]:opacity-100">
        <AllowCalls
          rows={[row]}
          words="Allow calls"
          label={`Allow calls to ${phoneText(row.phone ?? 'it')}`}
          small
        />
      </span>
    ),
    { number: true, from: 'lg' },
  ),
  right('added', 'Added', ({ created_at: at }) => <Time at={at} />),
];

/** How long a suppression holds, also in a sentence. */
export const HeldUntil = ({ at }: { at: string | null }) =>
  at === null ? (
    <span className="text-quiet">for ever</span>
  ) : (
    <>
      {Date.parse(at) > Date.now() && 'until '}
      <Until at={at} />
    </>
  );

/** A time that was or will be the end of something. */
export function Until({ at }: { at: string | null }) {
  if (at === null) return <span className="text-quiet">never</span>;
  const isOver = new Date(at).getTime() <= Date.now();
  return (
    <span className={isOver ? 'text-quiet' : undefined}>
      {isOver && 'ended '}
      <Time at={at} />
    </span>
  );
}

/** Takes phones off the list, each for the campaigns that it was on it for. */
type AllowProps = { rows: readonly Suppression[]; words: string; label?: string; small?: boolean };

export function AllowCalls({ rows, ...opener }: AllowProps) {
  const remove = useAct('DELETE /api/suppressions', { quiet: true });
  const act = async () => {
    let removed = 0;
    for (const campaign of new Set(rows.map((row) => row.campaign))) {
      const those = rows.filter((row) => row.campaign === campaign);
      const phones = those.flatMap(({ phone }) => phone ?? []);
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
