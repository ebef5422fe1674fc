import type { Suppression } from '../../api/description.ts';
import { phoneText } from '../../kit/phone.tsx';
import { type Column, right } from '../../kit/table/data-table.tsx';
import { Time } from '../../kit/time.tsx';
import { PageLink } from '../../shell/page-link.tsx';
import { phone, who } from '../../shell/person-columns.tsx';
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

export type Listed = Suppression & { id: string };

/** Who asked on a call is called no more: the person's page opens with that call. */
function Why({ of: { source, reason, phone } }: { of: Listed }) {
  if (source === 'opt-out' && phone && reason?.startsWith('asked on a call'))
    return (
      <PageLink to={`/people/${encodeURIComponent(phone)}`} className="link text-quiet">
        {reason}
      </PageLink>
    );
  return (
    <>
      {sourceText(source)} <span className="text-quiet">{reason}</span>
    </>
  );
}

/** The list is kept for ever: each time has its day. */
const dayAndTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

/** The button of a row shows under the pointer and the focus. */
export const columns: readonly Column<Listed>[] = [
  who,
  phone,
  { id: 'why', head: 'Why', from: 'sm', cell: (row) => <Why of={row} /> },
  {
    id: 'scope',
    head: 'Scope',
    from: 'sm',
    has: ({ campaign }) => campaign !== null,
    cell: ({ campaign }) =>
      campaign === null ? <span className="text-quiet">all campaigns</span> : `only ${campaign}`,
  },
  {
    id: 'until',
    head: 'Ends',
    from: 'sm',
    named: true,
    has: ({ until }) => until !== null,
    cell: ({ until }) => <Until at={until} />,
  },
  {
    id: 'allow',
    head: '',
    number: true,
    from: 'lg',
    cell: (row) => (
      <span className="opacity-0 [tr:focus-within_&]:opacity-100 [tr:hover_&]:opacity-100">
        <AllowCalls
          rows={[row]}
          words="Allow calls"
          label={`Allow calls to ${phoneText(row.phone ?? 'it')}`}
          small
        />
      </span>
    ),
  },
  right('added', 'Added', ({ created_at: at }) => (
    <time dateTime={at} className="whitespace-nowrap">
      {dayAndTime.format(new Date(at))}
    </time>
  )),
];

/** How long a suppression holds, in a sentence. */
export const HeldUntil = ({ at }: { at: string | null }) =>
  at === null ? (
    'with no end'
  ) : (
    <>
      until <Until at={at} />
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
