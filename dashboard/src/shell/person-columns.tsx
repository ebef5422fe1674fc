import type { FoundPerson } from '../api/description.ts';
import { Badge, OutcomeMark, stateText } from '../kit/badge.tsx';
import { Caller, Phone } from '../kit/phone.tsx';
import type { Column } from '../kit/table/data-table.tsx';
import { clockText, Time } from '../kit/time.tsx';
import { waitWords } from '../kit/waits.ts';
import { count, counted, isOptOut, learnedText } from '../kit/words.ts';
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
    <PageLink
      to={personAddress(row)}
      className="inline-block max-w-56 truncate align-bottom font-medium hover:underline"
    >
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

/** How the last call ended is the state of one who is done. */
export const state: Column<Pick<FoundPerson, 'state' | 'outcome'>> = {
  id: 'state',
  head: 'State',
  cell: (row) => <Badge state={row.state === 'done' && row.outcome ? row.outcome : row.state} />,
};

const mostMarks = 6;

/** How each attempt ended, the last one at the right. */
export function Tries({ of: tries, waits }: { of: readonly string[]; waits: boolean }) {
  // How a single one ended is the state of one who is done.
  if (tries.length === 0 || (tries.length === 1 && !waits))
    return <span className="text-quiet max-sm:hidden">{tries.length === 0 ? '–' : '1'}</span>;
  const words = tries.map(stateText).join(', ');
  return (
    <span
      role="img"
      aria-label={`${counted(tries.length, 'attempt')}: ${words}`}
      title={words}
      className="inline-flex items-center gap-1 align-middle"
    >
      {tries.length > mostMarks && <span className="text-xs text-quiet">{count(tries.length)}</span>}
      {tries.slice(-mostMarks).map((each, nth) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an attempt does not move.
        <OutcomeMark key={nth} state={each} />
      ))}
    </span>
  );
}

type Told = Pick<
  FoundPerson,
  'state' | 'reason' | 'until' | 'error' | 'outcome' | 'ended_reason' | 'from' | 'structured_data'
>;

/** From which number one is called, or why and until when one waits; of one who is done, what was learned, or why it went wrong. */
export const toldOf = (isRead: boolean): Column<Told> => ({
  id: 'told',
  head: 'What was learned, or why they wait',
  from: 'sm',
  cell(row) {
    const { reason, until, from } = row;
    if (row.state === 'calling')
      return (
        <span className="text-quiet">
          on the line from <Caller phone={from} />
        </span>
      );
    const fault = row.error ?? (row.outcome === 'failed' ? row.ended_reason : null);
    if (!reason) return fault ? <span className="text-quiet">{fault}</span> : learnedOf(isRead).cell(row);
    return (
      <span className="text-quiet">
        {waitWords[reason]}
        {/* The next attempt and a callback come at their time; all else ends then. */}
        {until && (reason === 'retry' || reason === 'callback' ? ' at ' : ', until ')}
        {until && <Time at={until} />}
      </span>
    );
  },
});

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
      <span
        className="block max-w-[28rem] truncate xl:max-w-[34rem] text-quiet max-sm:max-w-56"
        title={learnedText(data)}
      >
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
