import type { ReactNode } from 'react';
import type { FoundPerson } from '../../api/ask.ts';
import { useAsk, useLive } from '../../data/queries.ts';
import { buttonClasses, Copy, OutcomeMark } from '../../kit/basics.tsx';
import { Empty, Page } from '../../kit/page.tsx';
import { Link, navigate, useParams, useSearch } from '../../kit/router.tsx';
import { TheirTime, thereText } from '../../kit/their-time.tsx';
import { Ago, Phone, Time, useNow } from '../../kit/values.tsx';
import { counted, learnedText, waitWords } from '../../kit/words.ts';
import { Walker } from '../../shell/people.tsx';
import { useFaultWords, useMay } from '../../shell/reads.ts';
import { HeldUntil, keyOf, whyText } from '../suppressions/list.tsx';
import { PersonActs, useStops } from './acts.tsx';
import { AttemptDetail, Given } from './attempt.tsx';
import { CampaignLines } from './campaign-lines.tsx';

/** One person: whether they are called, what every campaign did with them, and one attempt whole. */
export function PersonPage() {
  const found = useRows(useParams('/people/$person').person);
  if (!found.data) return <Page title="Person" of={found} />;
  if (found.data.items.length > 0) return <Shown rows={found.data.items} more={found.data.next !== null} />;
  return (
    <Page title="Person">
      <Empty title="No row of any campaign is about this person">
        The phone may be written wrong, or what was kept of the person was erased.
      </Empty>
    </Page>
  );
}

/** By phone all rows; by the id of a row that one, and those of its phone where it may be seen. */
function useRows(person: string) {
  const isRow = /^\d{1,15}$/.test(person);
  const beat = { everyMs: 2_000, on: ['recipient.'] };
  const one = useLive('GET /api/calls', { recipient: [person], limit: 1 }, { ...beat, enabled: isRow });
  const phone = isRow ? one.data?.items[0]?.phone : person;
  const all = useLive(
    'GET /api/calls',
    { phone: [phone ?? ''], limit: 100 },
    { ...beat, enabled: Boolean(phone) },
  );
  return isRow && !all.data ? one : all;
}

/** The row with what only its own answer has, such as the zones of the person. */
const useRow = ({ campaign, id }: FoundPerson) =>
  useAsk('GET /api/campaigns/{id}/recipients/{rid}', { id: campaign, rid: id }).data;

const lastCall = ({ attempts }: FoundPerson) => attempts.at(-1)?.dialed_at ?? '';

function Shown({ rows, more }: { rows: FoundPerson[]; more: boolean }) {
  const { person } = useParams('/people/$person');
  const { row: wanted, attempt } = useSearch('/people/$person');
  const seesPeople = useMay('read_people');
  const newest = rows[0]!;
  // One looks for what was said: the latest call, unless the address names another.
  const row =
    rows.find(({ id }) => id === wanted) ??
    rows.find(({ attempts }) => attempts.some(({ id }) => id === attempt)) ??
    rows.find(({ id }) => id === person) ??
    rows.toSorted((a, b) => lastCall(b).localeCompare(lastCall(a)))[0]!;
  const known = useRow(row);
  const zones = known?.timezones ?? [];
  const shown = row.attempts.find(({ id }) => id === attempt) ?? row.attempts.at(-1);
  const names = [...new Set(rows.map(({ name }) => name).filter((name) => name !== null))];
  const name = names[0] ?? (newest.phone || 'Person');
  const faultWords = useFaultWords();
  const given = <Given row={row} variables={known?.variables ?? null} />;
  return (
    <Page
      title={name}
      up={{ to: '/people', label: 'People' }}
      acts={
        <>
          <Walker />
          <PersonActs
            row={row}
            rows={rows}
            person={known}
            // By the phone nobody is found any more.
            onErased={() => void navigate({ to: `/people/${newest.id}` })}
          />
        </>
      }
      state={
        names.length > 0 && (
          <span className="flex min-w-0 shrink-[99999] items-center gap-x-2 overflow-hidden text-sm whitespace-nowrap text-quiet">
            <Phone phone={newest.phone} />
            <span className="flex min-w-0 items-center gap-x-2 max-sm:hidden">
              {newest.phone && <Copy text={newest.phone} />}
              <span className="max-xl:hidden">{zones.length > 0 && <TheirTime zones={zones} inWords />}</span>
            </span>
          </span>
        )
      }
    >
      {/* Where the bar has no room for it. */}
      {zones.length > 0 && (
        <p className="mb-3 text-sm text-quiet xl:hidden">
          It is <TheirTime zones={zones} inWords />.
        </p>
      )}
      {names.length > 1 && <p className="mb-5 text-quiet">The same phone: {names.slice(1, 4).join(', ')}</p>}

      {!seesPeople && (
        <Banner state="skipped" title="This token may not see people">
          Phones, names and what was said are hidden.
        </Banner>
      )}
      <Standing rows={rows} name={name === 'Person' ? 'this person' : name} />
      <CampaignLines rows={rows} current={row.id} attempt={shown?.id} more={more} />
      {shown ? (
        <AttemptDetail key={shown.id} id={shown.id} row={row} zones={zones} given={given} />
      ) : (
        <>
          <p className="mb-6 text-quiet">
            {row.error ? faultWords(row.error) : `${row.campaign} has not called this person yet.`}
          </p>
          {given}
        </>
      )}
    </Page>
  );
}

/** What stands first, as it is looked for first: until when, or why, the person is not called. */
function Standing({ rows, name }: { rows: readonly FoundPerson[]; name: string }) {
  const { person } = useParams('/people/$person');
  const mayAct = useMay('operate');
  const now = useNow();
  const stops = useStops(rows) ?? [];
  const unknown = rows.flatMap(({ attempts }) => attempts).find(({ state }) => state === 'unknown');
  const erased = rows.find(({ erased_at: at }) => at !== null);
  const [next] = rows
    .filter(({ until }) => until !== null && Date.parse(until) > now)
    .sort((a, b) => Date.parse(a.until!) - Date.parse(b.until!));
  const isOver = rows.every(({ state }) => ['done', 'skipped', 'rejected'].includes(state));
  if (erased) {
    const [what, note] =
      erased.phone === ''
        ? ['This person was erased', 'Counts stay; nobody calls the person again.']
        : ['The words of older calls were erased', 'They are kept for a limited time.'];
    const title = [`${what} `, <Ago key="at" at={erased.erased_at!} />];
    return (
      <Banner state="skipped" title={title}>
        {note}
      </Banner>
    );
  }
  if (unknown)
    return (
      <Banner
        state="unknown"
        title={`Nobody knows whether ${name} was called`}
        act={<Link to={`/unknown?attempt=${unknown.id}`}>Settle it</Link>}
      >
        No call follows until you say what happened.
      </Banner>
    );
  if (stops.length > 0)
    return (
      <>
        {stops.map((stop) => (
          <Banner
            key={keyOf(stop)}
            state="opt-out"
            title={stop.campaign === null ? 'Must not be called' : `Must not be called by ${stop.campaign}`}
          >
            <Phone phone={stop.phone} />, <HeldUntil at={stop.until} />, since <Time at={stop.created_at} />:{' '}
            {whyText(stop)}
          </Banner>
        ))}
        {next && stops.every(({ campaign }) => campaign !== null) && <NotUntil row={next} />}
      </>
    );
  if (next) return <NotUntil row={next} />;
  if (!isOver) return null;
  const wants = rows.find((row) => callbackOf(row) !== '');
  const done = `${rows.length === 1 ? `${rows[0]!.campaign} is` : `${counted(rows.length, 'campaign')} are`} done with this person.`;
  if (!wants)
    return (
      <Banner title={`No campaign has ${name} to call`}>
        {done} The phone is not suppressed: another campaign may call it.
      </Banner>
    );
  return (
    <Banner
      state="warning"
      title={`A callback was noted and is not planned: ${callbackOf(wants)}`}
      act={
        mayAct && (
          <Link
            to={`/people/${encodeURIComponent(person)}?row=${wants.id}&act=retry`}
            className={buttonClasses()}
          >
            Call again
          </Link>
        )
      }
    >
      {done}
    </Banner>
  );
}

/** What the record of the last call has under the name of a callback; empty where there is none, or it says no. */
function callbackOf({ structured_data: data }: FoundPerson): string {
  const found = Object.entries(data ?? {}).find(([name]) => /call_?back/i.test(name));
  return learnedText(found?.[1]).replace(/^no$/i, '');
}

function NotUntil({ row }: { row: FoundPerson }) {
  const { until, reason, campaign } = row;
  const zones = useRow(row)?.timezones ?? [];
  const lead = reason === 'callback' ? 'Asked to be called back at ' : 'Not called until ';
  return (
    <Banner state="waiting" title={[lead, <Time key="at" at={until!} />, thereText(zones, until!)]}>
      {campaign} waits: {reason ? waitWords[reason] : 'for its time'}.
    </Banner>
  );
}

type BannerProps = { state?: string; title: ReactNode; act?: ReactNode; children: ReactNode };

const Banner = ({ state = 'done', title, act, children }: BannerProps) => (
  <div className="mb-5 flex gap-3 rounded-lg bg-sunken px-4 py-3">
    <span className="pt-1">
      <OutcomeMark state={state} />
    </span>
    <div className="min-w-0 flex-1">
      <p className="font-semibold">{title}</p>
      <p className="text-sm text-quiet">{children}</p>
    </div>
    {act}
  </div>
);
