import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { FoundPerson } from '../../api/description.ts';
import { useLive } from '../../data/use-live.ts';
import { Badge } from '../../kit/badge.tsx';
import { Section } from '../../kit/card.tsx';
import { Copy } from '../../kit/copy.tsx';
import { Empty } from '../../kit/empty.tsx';
import { Opening, PageHead } from '../../kit/page.tsx';
import { Phone } from '../../kit/phone.tsx';
import { TheirTime } from '../../kit/their-time.tsx';
import { Ago } from '../../kit/time.tsx';
import { counted } from '../../kit/words.ts';
import { useMay } from '../../shell/me.ts';
import { CampaignLines } from './campaign-lines.tsx';
import { EraseAct } from './erase.tsx';
import { NotUntil, RowDetail, useRow } from './row.tsx';
import { Suppressed, SuppressionActs } from './suppression.tsx';

const route = getRouteApi('/people/$person');

/** One person: what every campaign did with them, each attempt from its plan to its end. */
export function PersonPage() {
  const { person } = route.useParams();
  const { row: wanted, attempt } = route.useSearch();
  const navigate = useNavigate();
  const found = useRows(person);
  const rows = found.data?.items ?? [];
  const [newest] = rows;
  if (!found.data) return <Opening title="Person" of={found} />;
  if (!newest)
    return (
      <>
        <PageHead title="Person" />
        <Empty title="No row of any campaign is about this person">
          The phone may be written wrong, or what was kept of the person was erased.
        </Empty>
      </>
    );
  const row =
    rows.find(({ id }) => id === wanted) ??
    rows.find(({ attempts }) => attempts.some(({ id }) => id === attempt)) ??
    rows.find(({ id }) => id === person) ??
    latestCalled(rows) ??
    newest;
  const shown = row.attempts.find(({ id }) => id === attempt)?.id ?? row.attempts.at(-1)?.id;
  const tries = rows.reduce((sum, { attempts }) => sum + attempts.length, 0);
  return (
    <>
      <Head rows={rows} row={row} phone={newest.phone} />
      <NotUntil rows={rows} />
      <Section
        id="rows"
        title="Every campaign"
        note={`${counted(rows.length, 'campaign')}, ${counted(tries, 'attempt')}`}
        bare
      >
        <CampaignLines rows={rows} current={row.id} attempt={shown} more={found.data.next !== null} />
      </Section>
      <RowDetail key={row.id} row={row} wanted={shown} />
      {newest.phone && (
        <EraseAct
          phone={newest.phone}
          rows={rows}
          // By the phone nobody is found any more.
          onErased={() => void navigate({ to: `/people/${newest.id}` })}
        />
      )}
    </>
  );
}

/** The row of the person's latest call: one looks for what was said. */
function latestCalled(rows: readonly FoundPerson[]): FoundPerson | undefined {
  const last = ({ attempts }: FoundPerson) => attempts.at(-1)?.dialed_at ?? '';
  return rows.filter((row) => last(row) !== '').sort((a, b) => last(b).localeCompare(last(a)))[0];
}

/** By phone all rows; by the id of a row that one, and those of its phone where it may be seen. */
function useRows(person: string) {
  const isRow = /^\d{1,15}$/.test(person);
  const beat = { everyMs: 2_000, on: ['recipient.'] };
  const one = useLive(
    'GET /api/calls',
    { query: { recipient: [person], limit: 1 } },
    { ...beat, enabled: isRow },
  );
  const phone = isRow ? one.data?.items[0]?.phone : person;
  const all = useLive(
    'GET /api/calls',
    { query: { phone: [phone ?? ''], limit: 100 } },
    { ...beat, enabled: Boolean(phone) },
  );
  return isRow && !all.data ? one : all;
}

type HeadProps = { rows: readonly FoundPerson[]; row: FoundPerson; phone: string | null };

function Head({ rows, row, phone }: HeadProps) {
  const seesPeople = useMay('read_people');
  const zones = useRow(row)?.timezones ?? [];
  const names = [...new Set(rows.map(({ name }) => name).filter((name) => name !== null))];
  const erased = rows.find(({ erased_at: at }) => at !== null)?.erased_at;
  const busy = rows.find(({ state }) => state === 'calling');
  return (
    <>
      <PageHead
        title={names[0] ?? (phone || 'Person')}
        up={{ to: '/people', label: 'People' }}
        acts={phone && <SuppressionActs phone={phone} rows={rows} />}
        state={
          names.length > 0 && (
            <span className="flex items-center gap-x-2 text-sm whitespace-nowrap text-quiet">
              <Phone phone={phone} />
              <span className="flex items-center gap-x-2 max-sm:hidden">
                {phone && <Copy text={phone} />}
                {zones.length > 0 && <TheirTime zones={zones} inWords />}
              </span>
            </span>
          )
        }
      >
        {(names.length > 1 || busy) && (
          <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
            {names.length > 1 && <span>also {names.slice(1, 4).join(', ')}</span>}
            {busy && <Badge state="calling" label={`in a call of ${busy.campaign}`} />}
          </span>
        )}
      </PageHead>
      {!seesPeople && (
        <p className="mb-4 text-quiet">
          This token may not see people: phones, names and what was said are hidden.
        </p>
      )}
      {phone === '' && erased && (
        <p className="mb-4 text-quiet">
          This person was erased <Ago at={erased} />. The row’s counts stay; nobody calls the person again.
        </p>
      )}
      {phone !== '' && erased && (
        <p className="mb-4 text-quiet">
          The words of older calls were erased, as they are kept for a limited time only.
        </p>
      )}
      {phone && <Suppressed phone={phone} rows={rows} />}
    </>
  );
}
