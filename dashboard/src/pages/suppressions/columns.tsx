import type { Suppression } from '../../api/description.ts';
import { Phone } from '../../kit/phone.tsx';
import type { Column } from '../../kit/table/data-table.tsx';
import { Time } from '../../kit/time.tsx';
import { PageLink } from '../../shell/page-link.tsx';
import { AllowCalls } from './allow.tsx';

/** The columns of the list: whom, why, from where, for which campaigns, until when. */
export const sources = [
  { value: 'opt-out', label: 'opt-out' },
  { value: 'manual', label: 'by hand' },
  { value: 'import', label: 'imported' },
  { value: 'api', label: 'through the API' },
] as const;

export const sourceText = (source: Suppression['source']) =>
  sources.find(({ value }) => value === source)?.label ?? source;

/** A phone may be on the list for several campaigns. */
export const keyOf = ({ phone, campaign }: Suppression) => `${phone} ${campaign ?? ''}`;

export const columns: readonly Column<Suppression>[] = [
  {
    id: 'phone',
    head: 'Phone',
    cell: ({ phone }) => (
      <PageLink to={`/people/${encodeURIComponent(phone ?? '')}`} className="font-medium hover:underline">
        <Phone phone={phone} />
      </PageLink>
    ),
  },
  { id: 'source', head: 'Source', from: 'sm', cell: ({ source }) => sourceText(source) },
  {
    id: 'scope',
    head: 'Scope',
    from: 'sm',
    cell: ({ campaign }) =>
      campaign === null ? (
        <span className="whitespace-nowrap">all campaigns</span>
      ) : (
        <span className="break-words">only {campaign}</span>
      ),
  },
  { id: 'until', head: 'Until', from: 'sm', named: true, cell: ({ until }) => <Until at={until} /> },
  {
    id: 'reason',
    head: 'Reason',
    from: 'sm',
    has: ({ reason }) => reason !== null,
    cell: ({ reason }) => reason,
  },
  { id: 'added', head: 'Added', from: 'sm', named: true, cell: ({ created_at: at }) => <Time at={at} /> },
];

/** Also with what takes one phone off the list, where it stands. */
export const columnsToAct: readonly Column<Suppression>[] = [
  ...columns,
  {
    id: 'allow',
    head: '',
    number: true,
    cell: (row) => (
      <AllowCalls rows={[row]} words="Allow calls" label={`Allow calls to ${row.phone ?? 'it'}`} small />
    ),
  },
];

/** How long a suppression holds, in a sentence. */
export const HeldUntil = ({ at }: { at: string | null }) => (
  <>
    {at !== null && 'until '}
    <Until at={at} />
  </>
);

/** A time that was or will be the end of something. */
export function Until({ at }: { at: string | null }) {
  if (at === null) return 'for ever';
  const isOver = new Date(at).getTime() <= Date.now();
  return (
    <span className={isOver ? 'text-quiet' : undefined}>
      {isOver && 'ended '}
      <Time at={at} />
    </span>
  );
}
