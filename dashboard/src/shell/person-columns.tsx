import type { ReactNode } from 'react';
import type { Campaign, FoundPerson } from '../api/ask.ts';
import { Badge, stateText } from '../kit/basics.tsx';
import { Link } from '../kit/router.tsx';
import { type Column, left, right } from '../kit/table/data-table.tsx';
import { Matched, Phone, phoneText, Time, useSecond } from '../kit/values.tsx';
import { classes, clockText, count, isOptOut, lastsText, learnedText, waitWords } from '../kit/words.ts';
import { personAddress, personHref } from './people.tsx';
import { useFaultWords, useLiveCalls } from './reads.ts';

/** The columns that lists of people and their calls have in common. */
type Named = { id: string; phone: string | null; name: string | null };

type InCampaign = { campaign: string | null; campaign_id: string | null };

/** Quiet, as the row is about the person. */
export const campaign: Column<InCampaign> = left(
  'campaign',
  'Campaign',
  { from: 'sm', has: (row) => row.campaign !== null },
  ({ campaign_id: id, campaign }) => (
    <Link to={`/campaigns/${id}`} className="text-quiet hover:underline">
      {campaign}
    </Link>
  ),
);

/** `typed` is what was searched for: it is marked where it stands. */
export const whoOf = (typed = ''): Column<Named> =>
  left('who', 'Who', { main: true }, (row) => (
    <Link
      to={personHref(row)}
      className="inline-block max-w-56 truncate align-bottom font-medium hover:underline"
    >
      {row.name ? <Matched text={row.name} typed={typed} /> : <Phone phone={row.phone} />}
    </Link>
  ));

/** Without a name it stands in that column. */
export const phoneOf = (typed = ''): Column<Named> =>
  left(
    'phone',
    'Phone',
    { from: 'sm', has: ({ name }) => name !== null },
    ({ name, phone }) =>
      name !== null &&
      (phone && /\d{3}/.test(typed) ? (
        <Matched text={phoneText(phone)} typed={typed} />
      ) : (
        <Phone phone={phone} />
      )),
  );
export const who = whoOf();
export const phone = phoneOf();

/** Of a call in progress its own phase. */
export const state: Column<Pick<FoundPerson, 'id' | 'state'>> = left('state', 'State', (row) =>
  row.state === 'calling' ? <Phase id={row.id} /> : <Badge state={row.state} />,
);

/** By the same answer that the navigation counts. */
const useCallOf = (id: string) => useLiveCalls().data?.items.find(({ recipient }) => recipient === id);
const Phase = ({ id }: { id: string }) => <Badge state={useCallOf(id)?.phase ?? 'calling'} />;

/** How long a call in progress has lasted: it stands where others have the time of their last call. */
export function Lasts({ id }: { id: string }) {
  const now = useSecond();
  const call = useCallOf(id);
  return <span className="text-busy">{call ? `now, ${lastsText(call.dialed_at, now)}` : 'now'}</span>;
}

type Called = { outcome: string | null; duration: number | null };

export const outcome: Column<Called> = left(
  'outcome',
  'Last outcome',
  { from: 'sm', has: (row) => row.outcome !== null },
  (row) => row.outcome && <Badge state={row.outcome} />,
);

const mostDots = 6;

export function Tries({ n, most }: { n: number; most?: number | undefined }) {
  // A callback, or one who was tried again, is called beyond it.
  const all = Math.max(n, most ?? 0);
  if (!most || all > mostDots)
    return <span className="text-quiet">{most ? `${count(n)} of ${count(most)}` : count(n)}</span>;
  return (
    <span role="img" aria-label={`${n} of ${most} attempts`} className="inline-flex gap-1 align-middle">
      {Array.from({ length: all }, (_, nth) => (
        <i
          // biome-ignore lint/suspicious/noArrayIndexKey: a dot does not move.
          key={nth}
          className={classes('size-[7px] rounded-full border border-ink', nth < n && 'bg-ink')}
        />
      ))}
    </span>
  );
}

type Told = Pick<
  FoundPerson,
  'state' | 'key' | 'reason' | 'until' | 'error' | 'outcome' | 'ended_reason' | 'structured_data'
> & { attempts: unknown; rows?: readonly Pick<FoundPerson, 'state'>[] };
type Order = Pick<Campaign, 'max_attempts' | 'retry'>;

/** Why one who was not reached is called no more; a rule that was changed since then tells nothing. */
function endOf({ state, outcome, attempts }: Told, { max_attempts: most, retry }: Order): string | null {
  if (state !== 'done' || !outcome || outcome === 'answered') return null;
  if (most > 1 && Number(attempts) >= most) return `all ${count(most)} attempts are used`;
  return most > 1 && outcome in retry ? null : `not tried again after ${stateText(outcome)}`;
}

/** Why and until when one waits; of others what was learned, or why it went wrong; with the order of one campaign, why that was all. */
export const toldOf = (order?: Order): Column<Told> =>
  left('told', 'What was learned, or why they wait', { from: 'sm' }, (row) => {
    const { reason, until, outcome: last } = row;
    if (row.state === 'calling' && row.key)
      return <span className="text-quiet">on the line, by the key {row.key}</span>;
    if (!reason) return <Learned row={row} order={order} />;
    return (
      <span className="text-quiet">
        {waitWords[reason]}
        {/* The next attempt and a callback come at their time; all else ends then. */}
        {until && (reason === 'retry' || reason === 'callback' ? ' at ' : ', until ')}
        {until && <Time at={until} />}
        {!order && last && `, after ${stateText(last)}`}
      </span>
    );
  });

/** Who wants no more calls stands out; of a campaign that reads it, the person is suppressed. */
function Learned({ row, order }: { row: Told; order: Order | undefined }) {
  const faultWords = useFaultWords();
  const fault = row.error && faultWords(row.error);
  const data = fault ?? (row.outcome === 'failed' ? row.ended_reason : null) ?? row.structured_data;
  const end = order ? endOf(row, order) : isOverUnreached(row) && 'no more tries';
  const asked = isOptOut(data);
  return (
    <span
      // What the other columns leave of the screen.
      className="max-w-96 text-quiet max-xl:line-clamp-2 max-sm:max-w-56 xl:block xl:max-w-[clamp(12rem,calc(100vw-61rem),40rem)] xl:truncate"
      title={learnedText(data)}
    >
      {asked && (
        <Badge state="opt-out" label={`asked for no more calls${order ? ', suppressed' : ''}`} soft />
      )}{' '}
      <LearnedWords of={asked ? withoutCalls(data as object) : data} />
      {end && [learnedText(data) && ' · ', end]}
    </span>
  );
}

/** Over in every campaign that was found, and the last call was not answered. */
const isOverUnreached = ({ outcome, rows, ...row }: Told) =>
  outcome !== null && outcome !== 'answered' && (rows ?? [row]).every(({ state }) => state === 'done');

/** `interested: false` as `not interested`; what is a sentence, or says why, stands without its name; a no to more calls is nothing. */
function factText(name: string, value: unknown): string {
  const [words, text] = [name.replaceAll('_', ' '), learnedText(value)];
  if (text === 'yes') return words;
  if (text === 'no') return name === 'opt_out' ? '' : `${/^\w+ed$/.test(name) ? 'not' : 'no'} ${words}`;
  const isWhole = text === '' || text.endsWith(words) || /^(?:error|reason|summary)$/.test(name);
  return isWhole ? text.replace(/\.$/, '') : `${words} ${text}`;
}

const isAct = (name: string) => /call_?back|appointment/i.test(name);
/** Who wants no more calls is not called back, whatever was agreed. */
const withoutCalls = (data: object) =>
  Object.fromEntries(Object.entries(data).filter(([name]) => name !== 'opt_out' && !isAct(name)));

/** What someone must act on, such as when to call back, comes first and stands out. */
export function LearnedWords({ of: data }: { of: unknown }) {
  if (data === null || typeof data !== 'object' || Array.isArray(data)) return learnedText(data);
  const told = Object.entries(data).filter(([name, value]) => factText(name, value) !== '');
  return told
    .sort(([a], [b]) => Number(isAct(b)) - Number(isAct(a)))
    .map(([name, value], nth) => (
      <span key={name}>
        {nth > 0 && ' · '}
        <span className={isAct(name) ? 'font-medium text-text' : 'text-text'}>{factText(name, value)}</span>
      </span>
    ));
}

export const talked: Column<Called> = right(
  'talked',
  'Talked',
  { has: ({ duration }) => Boolean(duration) },
  ({ duration }) => duration !== null && duration > 0 && clockText(duration),
);

/** Whom a panel is about. */
type PersonHeadProps = {
  of: { name: string | null; phone: string | null; recipient: string };
  children?: ReactNode;
};

export const PersonHead = ({ of: { name, phone: number, recipient: id }, children }: PersonHeadProps) => (
  <h2 className="flex flex-wrap items-baseline gap-x-3 text-xl font-semibold tracking-[-0.01em]">
    <Link to={personAddress({ phone: number, id })} className="hover:underline">
      {name ?? <Phone phone={number} />}
    </Link>
    <span className="flex flex-wrap gap-x-3 text-sm font-normal text-quiet empty:hidden">
      {name && <Phone phone={number} />}
      {children}
    </span>
  </h2>
);
