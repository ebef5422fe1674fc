import type { AnswerOf } from '../../api/ask.ts';
import { useAsk, useAsks } from '../../data/queries.ts';
import { PartBar } from '../../kit/bars.tsx';
import { Badge } from '../../kit/basics.tsx';
import { Empty, Glance, Page } from '../../kit/page.tsx';
import { DataTable, left, right } from '../../kit/table/data-table.tsx';
import { Phone, phoneText } from '../../kit/values.tsx';
import { count, counted, isFarBelow, rateOfOthers, rateText, timeText } from '../../kit/words.ts';
import { Act } from '../../shell/opens.tsx';
import { useActiveCampaigns } from '../../shell/reads.ts';
import { Lately } from '../activity/page.tsx';

type Listed = AnswerOf<'GET /api/numbers'>['items'][number];
/** `of` is how many keys have numbers at all; `low` where it is answered far less, and by how much. */
type Line = Listed & { keys: readonly string[]; of: number; low: string | null };

/** A number is one, whichever keys have it: what is counted of it is counted over all of them. */
function byNumber(items: readonly Listed[], lowIn: ReadonlyMap<string, string[]>): Line[] {
  const lines = new Map<string, Listed & { keys: readonly string[] }>();
  for (const item of items) {
    const of = `${item.phone_number ?? ''} ${item.id}`;
    lines.set(of, { ...item, keys: [...(lines.get(of)?.keys ?? []), item.key] });
  }
  const rates = [...lines.values()].map(rateOf);
  const of = new Set(items.map(({ key }) => key)).size;
  return [...lines.values()].map((line) => {
    const isLow = isFarBelow(rateOf(line), rates);
    const campaigns = lowIn.get(line.phone_number) ?? [];
    return { ...line, of, low: isLow ? shareOf(rateOf(line), rates) : campaigns.join('; ') || null };
  });
}

const rateOf = ({ calls, answer_rate: rate }: Listed) => ({ calls, rate });

const shareOf = (one: ReturnType<typeof rateOf>, all: (typeof one)[], where = '') =>
  `${rateText(one.rate)}${where}, the others ${rateText(rateOfOthers(one, all))}`;

const everyMs = 15_000;
const mostLooked = 20;

/** What the campaigns that call say of their numbers: the same verdict as on their own page. */
function useVerdicts(): Map<string, string[]> {
  const campaigns = (useActiveCampaigns().data?.items ?? []).slice(0, mostLooked);
  const by = 'caller' as const;
  const reports = useAsks(
    'GET /api/campaigns/{id}/report',
    campaigns.map(({ id }) => ({ id, by })),
    everyMs,
  );
  const low = new Map<string, string[]>();
  for (const { data } of reports) {
    const all = data?.items.map(({ calls, connect_rate: rate }) => ({ calls, rate })) ?? [];
    for (const [nth, { value }] of data?.items.entries() ?? [])
      if (value && isFarBelow(all[nth]!, all))
        low.set(value, [...(low.get(value) ?? []), shareOf(all[nth]!, all, ` in ${data!.campaign}`)]);
  }
  return low;
}

/** The numbers that the keys call from: how their calls do, which rest, and taking one out of use. */
export function NumbersPage() {
  const numbers = useAsk('GET /api/numbers', {}, { everyMs: 10_000 });
  const lines = byNumber(numbers.data?.items ?? [], useVerdicts());
  return (
    <Page title="Numbers" of={numbers} lines={6}>
      {({ items }) =>
        items.length === 0 ? (
          <Empty title="No number yet">
            The service names no number that its keys may call from: it chooses one for each call.
          </Empty>
        ) : (
          <>
            <Whole of={lines} />
            <div className="mb-6">
              <DataTable
                label="Caller numbers"
                rows={lines}
                columns={columns}
                keyOf={({ phone_number: number, id }) => `${number} ${id}`}
              />
            </div>
            <Lately title="What happened" verb="number,alert.raise,alert.clear" codes={/^number-/} />
          </>
        )
      }
    </Page>
  );
}

function Whole({ of: lines }: { of: readonly Line[] }) {
  const low = lines.filter((each) => each.low !== null && each.rest === null);
  const resting = lines.filter(({ rest }) => rest !== null).length;
  const isUsed = lines.some(({ calls }) => calls > 0);
  return (
    <Glance
      level={low.length + resting > 0 ? 'watch' : isUsed ? 'fine' : 'untried'}
      title={
        low.length > 0
          ? `${counted(low.length, 'number is', 'numbers are')} answered far less than others: ${low.map((each) => phoneText(each.phone_number)).join(', ')}.`
          : `${counted(lines.length, 'number')} to call from${resting > 0 ? `, ${count(resting)} of them at rest` : ''}.`
      }
    >
      Each is counted over all keys that have it. One that people answer far less than before rests for a day.
    </Glance>
  );
}

const why = { hand: 'taken out of use', answers: 'people answer it less', short: 'people hang up on it' };

const columns = [
  left<Line>('number', 'Number', ({ phone_number: number, label }) => (
    <>
      <span className="font-medium">
        <Phone phone={number} />
      </span>
      <span className="ml-2 whitespace-nowrap text-quiet">{String(label ?? '')}</span>
    </>
  )),
  left<Line>('keys', 'Keys', { from: 'xl', has: ({ of }) => of > 1 }, ({ keys, of }) => (
    <span className="inline-block max-w-56 truncate align-bottom" title={keys.join(', ')}>
      {keys.length === of ? `all ${count(of)}` : keys.join(', ')}
    </span>
  )),
  left<Line>('use', 'State', { from: 'sm' }, ({ rest, returns_at: at, low }) => {
    const until = at === null ? ', until you use it again' : `, until ${timeText(at)}`;
    if (rest !== null) return <Badge state="paused" label={`rests: ${why[rest]}${until}`} />;
    if (low === null) return <Badge state="open" label="in use" />;
    return (
      <>
        <Badge state="warning" label="answered far less:" /> {low}
      </>
    );
  }),
  left<Line>('answered', 'Calls answered', { from: 'sm', named: true }, ({ answer_rate: rate, calls }) => (
    <span className="inline-flex items-center gap-3" title={`of ${counted(calls, 'ended call')}`}>
      <span className="number sm:w-12">{rateText(rate)}</span>
      <span className="w-24 max-xl:hidden">
        {rate !== null && <PartBar part={rate} fill="bg-good-fill" />}
      </span>
    </span>
  )),
  right<Line>(
    'short',
    'Answered, but short',
    { from: 'xl', has: ({ short_rate: rate }) => Boolean(rate) },
    ({ short_rate: rate }) => rateText(rate),
  ),
  right<Line>('day', 'Calls in 24 hours', ({ calls_24h: n }) => count(n)),
  right<Line>('now', 'In progress or unknown', { folds: true, from: 'xl' }, ({ at_once: n }) => count(n)),
  left<Line>('act', '', { number: true }, ({ phone_number: number, id, rest }) => {
    const shown = phoneText(number);
    const words = rest === null ? 'Rest' : 'Use again';
    return (
      <Act
        may="operate"
        small
        aria-label={`${words} ${shown}`}
        name={`POST /api/numbers/{number}/${rest === null ? 'rest' : 'return'}`}
        asked={{ number: id }}
        done={() =>
          rest === null
            ? `No campaign calls from ${shown} until you use it again.`
            : `Campaigns call from ${shown} again.`
        }
      >
        {words}
      </Act>
    );
  }),
];
