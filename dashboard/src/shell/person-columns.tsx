import { Badge } from '../kit/badge.tsx';
import { Phone } from '../kit/phone.tsx';
import type { Column } from '../kit/table/data-table.tsx';
import { clockText } from '../kit/time.tsx';
import { isOptOut, learnedText } from '../kit/words.ts';
import { personAddress } from './find.ts';
import { PageLink } from './page-link.tsx';

/** The columns that lists of people and their calls have in common. */
type Named = { id: string; phone: string | null; name: string | null };
type Called = { outcome: string | null; duration: number | null };

export const who: Column<Named> = {
  id: 'who',
  head: 'Who',
  main: true,
  cell: (row) => (
    <PageLink to={personAddress(row)} className="font-medium hover:underline">
      {row.name ?? <Phone phone={row.phone} />}
    </PageLink>
  ),
};

export const phone: Column<Named> = {
  id: 'phone',
  head: 'Phone',
  from: 'sm',
  has: ({ name }) => name !== null,
  // Without a name it stands in that column.
  cell: (row) => row.name !== null && <Phone phone={row.phone} />,
};

export const outcome: Column<Called> = {
  id: 'outcome',
  head: 'Outcome',
  has: (row) => row.outcome !== null,
  cell: (row) => row.outcome && <Badge state={row.outcome} />,
};

/** Who wants no more calls stands out; of a campaign that reads it, the person is suppressed. */
export const learnedOf = (isRead: boolean): Column<{ structured_data: unknown }> => ({
  id: 'learned',
  head: 'What was learned',
  from: 'lg',
  has: ({ structured_data: data }) => learnedText(data) !== '',
  cell: ({ structured_data: data }) => {
    const asked = isOptOut(data);
    const rest = learnedText(asked ? { ...(data as object), opt_out: null } : data);
    return (
      <span className="block max-w-[28rem] truncate text-quiet max-sm:max-w-56" title={learnedText(data)}>
        {asked && (
          <Badge state="opt-out" label={`asked for no more calls${isRead ? ', suppressed' : ''}`} soft />
        )}
        {asked && rest && ' '}
        {rest}
      </span>
    );
  },
});

export const learned = learnedOf(false);

export const talked: Column<Called> = {
  id: 'talked',
  head: 'Talked',
  number: true,
  from: 'sm',
  has: ({ duration }) => Boolean(duration),
  cell: ({ duration }) => (duration ? clockText(duration) : '–'),
};
