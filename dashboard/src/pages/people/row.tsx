import type { FoundPerson } from '../../api/description.ts';
import { useAsk } from '../../data/queries.ts';
import { Badge, Mark } from '../../kit/badge.tsx';
import { Section } from '../../kit/card.tsx';
import { Fields } from '../../kit/data.tsx';
import { Loading } from '../../kit/empty.tsx';
import { Phone } from '../../kit/phone.tsx';
import { Time } from '../../kit/time.tsx';
import { waitWords } from '../../kit/waits.ts';
import { count } from '../../kit/words.ts';
import { PageLink } from '../../shell/page-link.tsx';
import { RowActs } from './acts.tsx';
import { AttemptDetail } from './attempt.tsx';
import { There } from './there.tsx';

/** The person in one campaign: each attempt, what was said in it, and what the row was given. */
export function RowDetail({ row, wanted }: { row: FoundPerson; wanted: string | undefined }) {
  const known = useRow(row);
  const zones = known?.timezones ?? [];
  const { attempts } = row;
  const attempt = attempts.find(({ id }) => id === wanted) ?? attempts.at(-1);
  const given = <Given row={row} variables={known?.variables ?? null} />;
  return (
    <div className="min-w-0">
      <Section
        id="row"
        title={
          <PageLink to={`/campaigns/${encodeURIComponent(row.campaign)}`} className="hover:underline">
            {row.campaign}
          </PageLink>
        }
        note={
          <>
            row {count(row.row)} of the list
            {zones.length > 0 && (
              <>, in {zones.length > 3 ? `one of ${zones.length} zones` : zones.map(placeOf).join(' or ')}</>
            )}
          </>
        }
        acts={<RowActs row={row} person={known} />}
        bare
      >
        <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
          {(row.state !== 'done' || attempts.length === 0) && <Badge state={row.state} />}
          {row.reason && row.reason !== 'callback' && (
            <span className="text-quiet">{waitWords[row.reason]}</span>
          )}
          {row.callback_at && (
            <span className="text-quiet">
              {waitWords.callback} at <Time at={row.callback_at} />
            </span>
          )}
          {/* The fault of a call stands at its attempt. */}
          {row.error && (attempts.length === 0 || row.state === 'skipped') && (
            <span className="text-bad">{row.error}</span>
          )}
        </p>
        {row.phones && <Numbers row={row} phones={row.phones} />}
      </Section>
      {attempt ? (
        <AttemptDetail key={attempt.id} id={attempt.id} of={attempts.length} zones={zones} given={given} />
      ) : (
        <>
          <p className="mb-6 text-quiet">Nobody was called yet for this row.</p>
          {given}
        </>
      )}
    </div>
  );
}

/** `America/New_York` as `New York`. */
const placeOf = (zone: string) => zone.replace(/^.*\//, '').replaceAll('_', ' ');

/** The person's numbers in the order in which they are tried. */
function Numbers({ row, phones }: { row: FoundPerson; phones: NonNullable<FoundPerson['phones']> }) {
  return (
    <ol aria-label="Numbers" className="mt-2 flex flex-wrap gap-x-6 gap-y-1 text-sm">
      {phones.map(({ phone, passed }, nth) => (
        <li key={phone || passed} className="flex items-baseline gap-2">
          <span className="text-quiet">{count(nth + 1)}</span>
          {phone && (
            <span className={phone === row.phone ? 'font-medium' : undefined}>
              <Phone phone={phone} />
            </span>
          )}
          {phone === row.phone && row.attempts.length > 0 && <span className="text-quiet">called last</span>}
          {passed !== null && <span className="text-quiet">not called: {passed}</span>}
        </li>
      ))}
    </ol>
  );
}

/** The row with what only its own answer has, such as the zones of the person. */
export function useRow({ campaign, id }: FoundPerson) {
  return useAsk('GET /api/campaigns/{id}/recipients/{rid}', { params: { id: campaign, rid: id } }).data;
}

/** Nobody calls the person before this time, in their time and here. It stands first, as it is looked for first. */
export function NotUntil({ rows }: { rows: readonly FoundPerson[] }) {
  const [next] = rows
    .filter(({ until }) => until !== null && Date.parse(until) > Date.now())
    .sort((a, b) => Date.parse(a.until!) - Date.parse(b.until!));
  return next ? <Until row={next} /> : null;
}

function Until({ row }: { row: FoundPerson }) {
  const known = useRow(row);
  if (!known) return <Loading lines={2} />;
  return (
    <div className="mb-5 flex gap-3 rounded-lg bg-quiet-soft px-4 py-3">
      <span className="pt-1 text-warn">
        <Mark shape="pause" />
      </span>
      <div className="min-w-0">
        <p className="font-semibold">
          {row.reason === 'callback' ? 'Asked to be called back at' : 'Not called until'}{' '}
          <Time at={row.until!} /> <There at={row.until!} zones={known.timezones} />
        </p>
        <p className="text-sm text-quiet">
          {row.campaign} waits: {row.reason ? waitWords[row.reason] : 'for its time'}.
        </p>
      </div>
    </div>
  );
}

/** What the list says of this person; the name and the phone stand above it. */
export function FromList({ input, name, phone }: Pick<FoundPerson, 'input' | 'name' | 'phone'>) {
  const given = Object.entries(input ?? {}).filter(([, value]) => value !== name && value !== phone);
  if (given.length === 0) return null;
  return (
    <Section id="given" title="From your list" bare>
      <Fields of={Object.fromEntries(given)} />
    </Section>
  );
}

type GivenProps = { row: FoundPerson; variables: Record<string, unknown> | null };

/** The list's data on the person, and the variables of the next call where these say anything else. */
function Given({ row: { input, name, phone }, variables }: GivenProps) {
  const others = Object.entries(variables ?? {}).filter(
    ([name, value]) => JSON.stringify(input?.[name]) !== JSON.stringify(value),
  );
  return (
    <>
      <FromList input={input} name={name} phone={phone} />
      {others.length > 0 && (
        <Section id="variables" title="Variables" bare>
          <Fields of={Object.fromEntries(others)} />
        </Section>
      )}
    </>
  );
}
