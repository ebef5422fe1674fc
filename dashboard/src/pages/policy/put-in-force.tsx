import type { Pack, PolicyVersion } from '../../api/description.ts';
import { useAct, useAsk } from '../../data/queries.ts';
import { Badge } from '../../kit/badge.tsx';
import { Section } from '../../kit/card.tsx';
import { phoneText } from '../../kit/phone.tsx';
import { type Column, DataTable, left } from '../../kit/table/data-table.tsx';
import { counted } from '../../kit/words.ts';
import { weekWords } from '../../order/week.ts';
import { useActiveCampaigns } from '../../shell/campaigns.ts';
import { useMay } from '../../shell/me.ts';
import { AskFirst } from '../../shell/opens.tsx';
import {
  capital,
  DayBars,
  dateWords,
  hoursOf,
  isWithoutRules,
  rulesOf,
  stricterOf,
  type WrittenRules,
} from './rules.tsx';

/** Adds a country’s legal hours to the rules in force. Without a pack, it records the choice to call without rules. */
type PutInForceProps = { pack: Pack | null; policy: PolicyVersion; words: string; isMain?: boolean };

export function PutInForce({ pack, policy, words, isMain }: PutInForceProps) {
  const { running, waiting } = useWaiting();
  const set = useAct('PUT /api/policy', {
    quiet: true,
    done: () =>
      pack ? 'The legal hours are in force, for every campaign.' : 'Calls go on without contact rules.',
  });
  const rules = rulesOf(policy);
  const body = pack ? { ...rules, hours: [...(rules.hours ?? []), pack.name] } : {};
  return (
    <AskFirst
      words={words}
      label={pack ? `${words}: ${pack.title}` : undefined}
      kind={isMain ? 'main' : pack ? 'plain' : 'quiet'}
      small={pack !== null && !isMain}
      may="admin"
      isSafe={pack !== null}
      title={pack ? `Put the ${pack.title} in force?` : 'Call without contact rules?'}
      act={pack ? 'Put them in force' : words}
      of={set}
      onAct={() => set.mutateAsync({ body, ifMatch: policy.version ?? 0 })}
    >
      {counted(waiting, 'person waits', 'people wait')} in {counted(running, 'running campaign')}.{' '}
      {pack
        ? `From the next call on, each is called only in these hours, by the clock where they are: ${hoursOf(pack)}${stricterOf(pack)}. Whoever’s hours are closed waits, and nobody is lost.`
        : 'Each is called in the hours of the campaign, whatever the law says. The activity keeps that you chose it, and Overview asks for it no more.'}
    </AskFirst>
  );
}

/** How many campaigns run, and how many people wait in them. */
export function useWaiting() {
  const running = useActiveCampaigns().data?.items.filter(({ state }) => state === 'running') ?? [];
  return { running: running.length, waiting: running.reduce((sum, { balance }) => sum + balance.waiting, 0) };
}

const regions = new Intl.DisplayNames('en', { type: 'region', style: 'short' });

/** `US`, `Canada`. */
export const regionOf = ({ rows }: Pack) => regions.of(rows[0]!.area.slice(0, 2));

/** The pack of a country; without one, of the country of the viewer’s language, such as US of en-US. */
export function usePack(country = ''): Pack | undefined {
  const guess = navigator.languages.map((each) => /-([A-Z]{2})$/.exec(each)?.[1]).find(Boolean);
  const wanted = country.trim().toUpperCase() || guess;
  return useAsk('GET /api/policy/packs', {}).data?.items.find(({ rows }) =>
    rows.some(({ area }) => area === wanted),
  );
}

/** Countries by their code for calls, for those that call most; +1 is of several, and the language tells them apart. */
const codes: Readonly<Record<string, string>> = {
  '+33': 'FR',
  '+34': 'ES',
  '+39': 'IT',
  '+44': 'GB',
  '+49': 'DE',
  '+61': 'AU',
  '+91': 'IN',
};

/** Read once: where people are changes slowly. */
export const useLatestCalls = () =>
  useAsk('GET /api/calls', { query: { limit: 50 } }, { enabled: useMay('read_people') });

/** The pack for the country of a running campaign, or of most who were called last; else that country's name. */
export function usePeoplePack(): { pack: Pack | undefined; place: string | undefined } {
  const campaigns = useActiveCampaigns().data?.items ?? [];
  const named = campaigns.find(({ state, country }) => state === 'running' && country)?.country;
  const calls = useLatestCalls().data?.items ?? [];
  const counts = new Map<string, number>();
  for (const { phone } of calls) {
    const code = phone ? phoneText(phone).split(' ')[0]! : '+1';
    counts.set(code, (counts.get(code) ?? 0) + 1);
  }
  const [code = '+1'] = [...counts].sort((a, b) => b[1] - a[1])[0] ?? [];
  const country = named ?? codes[code] ?? (code === '+1' ? undefined : code);
  const pack = usePack(country);
  if (!country || country === code) return { pack, place: country && `phones of ${code}` };
  return { pack, place: `${/^(?:AE|GB|NL|PH|US)$/.test(country) ? 'the ' : ''}${regions.of(country)}` };
}

/** The packs of hours that ship: each row with its source, and the date of that. `policy` unless a file rules. */
type PacksProps = { rules: WrittenRules; policy: PolicyVersion | undefined };

export function Packs({ rules, policy }: PacksProps) {
  const packs = useAsk('GET /api/policy/packs', {}).data?.items ?? [];
  // Its button stands at the head while there are no rules.
  const { pack: proposed } = usePeoplePack();
  return (
    <Section id="packs" title="Legal hours, ready to use" note="this is not legal advice">
      {packs.map((pack) => {
        const isInForce = rules.hours?.includes(pack.name);
        const usual = usualOf(pack);
        return (
          <div
            key={pack.name}
            className="flex items-start justify-between gap-3 border-b border-line pb-2 not-first:pt-2"
          >
            <details className="min-w-0 flex-1">
              <summary className="cursor-pointer">
                <span className="font-medium" title={`The pack ${pack.name}`}>
                  {capital(pack.title)}
                </span>{' '}
                {isInForce && <Badge state="open" label="in force" soft />}
                <span className="block pl-4 text-sm text-quiet">
                  {hoursOf(pack)}
                  {stricterOf(pack)}
                </span>
                {/* The bar of one in force stands above. */}
                <span className="block pl-4">{!isInForce && <DayBars pack={pack} />}</span>
              </summary>
              <p className="pt-2 text-sm text-quiet [overflow-wrap:anywhere]">
                Source, read {pack.rows[0]!.as_of}: {usual}. Where two disagree, the stricter one counts.
              </p>
              <DataTable label={pack.title} rows={placesOf(pack, usual)} columns={columns} keyOf={keyOf} />
            </details>
            {policy && !isInForce && !(isWithoutRules(rules) && pack === proposed) && (
              <PutInForce pack={pack} policy={policy} words="Put in force" />
            )}
          </div>
        );
      })}
    </Section>
  );
}

/** The source of most of its rows. */
function usualOf({ rows }: Pack): string {
  const n = (citation: string) => rows.filter((row) => row.citation === citation).length;
  return rows.map(({ citation }) => citation).sort((a, b) => n(b) - n(a))[0]!;
}

/** Places with the same hours are one row; the hours of one that change at a date stand one after the other. */
type Places = { places: string[]; hours: string; source: string };

function placesOf({ rows }: Pack, usual: string): Places[] {
  const found = new Map<string, Places>();
  for (const area of new Set(rows.map((row) => row.area))) {
    const own = rows.filter((row) => row.area === area);
    const hours = own
      .map(({ hours: open, no_holidays: closed, until }) =>
        [weekWords(open), closed && 'not on holidays', until && `until ${dateWords(until)}`]
          .filter(Boolean)
          .join(', '),
      )
      .join('; then ');
    const source = own
      .flatMap(({ citation, note }) => [note, citation !== usual && citation])
      .filter(Boolean)
      .join('; ');
    // The country as a whole stands apart.
    const key = area.includes('-') ? `${hours} ${source}` : area;
    const places = [...(found.get(key)?.places ?? []), area.replace(/^..-/, '')];
    found.set(key, { places, hours, source });
  }
  return [...found.values()];
}

const keyOf = ({ places }: Places) => places.join();

const columns: readonly Column<Places>[] = [
  left('places', 'Where', ({ places }) => <span className="font-medium">{places.join(', ')}</span>),
  left('hours', 'Hours, by the clock there', ({ hours }) => hours),
  left('source', 'Its own source, or a note', ({ source }) => <span className="text-quiet">{source}</span>, {
    from: 'sm',
    has: ({ source }) => source !== '',
  }),
];
