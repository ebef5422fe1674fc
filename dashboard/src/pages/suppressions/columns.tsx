import type { Suppression } from '../../api/description.ts';
import { Phone } from '../../kit/phone.tsx';
import type { Column } from '../../kit/table/data-table.tsx';
import { Time, timeText } from '../../kit/time.tsx';
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

/** What may be the same for all of them: then it is told once, above them. */
const told: Readonly<Record<string, (row: Suppression) => string>> = {
  source: ({ source }) => sourceText(source),
  scope: ({ campaign }) => (campaign === null ? 'all campaigns' : `only ${campaign}`),
  until: ({ until }) => (until === null ? 'no end' : `until ${timeText(until)}`),
  reason: ({ reason }) => reason ?? '',
};

export function sharedBy(rows: readonly Suppression[]): Readonly<Record<string, string>> {
  const [one, ...others] = rows;
  if (!one || others.length === 0) return {};
  const shared = Object.entries(told).filter(([, of]) => others.every((row) => of(row) === of(one)));
  return Object.fromEntries(shared.map(([id, of]) => [id, of(one)]));
}

/** A column in which all rows are equal is left out. The button of a row shows under the pointer and the focus. */
export const columnsOf = (shared: Readonly<Record<string, string>>, mayAct: boolean) =>
  columns.filter(({ id }) => !(id in shared) && (mayAct || id !== 'allow'));

const columns: readonly Column<Suppression>[] = [
  {
    id: 'phone',
    head: 'Phone',
    cell: ({ phone }) => (
      <PageLink to={`/people/${encodeURIComponent(phone ?? '')}`} className="font-medium hover:underline">
        <Phone phone={phone} />
      </PageLink>
    ),
  },
  { id: 'source', head: 'Source', from: 'sm', cell: told.source! },
  { id: 'scope', head: 'Scope', from: 'sm', cell: told.scope! },
  { id: 'until', head: 'Ends', from: 'sm', named: true, cell: ({ until }) => <Until at={until} /> },
  { id: 'reason', head: 'Reason', from: 'sm', cell: told.reason! },
  { id: 'added', head: 'Added', from: 'sm', named: true, cell: ({ created_at: at }) => <Time at={at} /> },
  {
    id: 'allow',
    head: '',
    number: true,
    from: 'lg',
    cell: (row) => (
      <span className="opacity-0 [tr:focus-within_&]:opacity-100 [tr:hover_&]:opacity-100">
        <AllowCalls rows={[row]} words="Allow calls" label={`Allow calls to ${row.phone ?? 'it'}`} small />
      </span>
    ),
  },
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
  if (at === null) return 'never';
  const isOver = new Date(at).getTime() <= Date.now();
  return (
    <span className={isOver ? 'text-quiet' : undefined}>
      {isOver && 'ended '}
      <Time at={at} />
    </span>
  );
}
