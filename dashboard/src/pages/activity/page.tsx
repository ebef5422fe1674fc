import { Fragment, useMemo } from 'react';
import type { Activity } from '../../api/ask.ts';
import { useAsk, usePages } from '../../data/queries.ts';
import { Button, Icon, OutcomeMark } from '../../kit/basics.tsx';
import { Choose, Filters, SelectFilter, TextFilter } from '../../kit/filter.tsx';
import { Empty, Page, Section } from '../../kit/page.tsx';
import { Link, MoreLink, navigate, useFilters, useLocation } from '../../kit/router.tsx';
import { Listing } from '../../kit/table/data-table.tsx';
import { Time } from '../../kit/values.tsx';
import { classes, clock, dayText, durationText, groupsOf, timeText, whoText } from '../../kit/words.ts';
import { useNeeds } from '../../shell/needs.ts';
import { useActiveCampaigns, useCampaignChoices, useMay } from '../../shell/reads.ts';
import { changed, type Detail, gravityOf, iconOf, placeOf } from './changes.ts';
import { causeOf, isTimes, pairsOf, runsOf } from './runs.ts';
import { sentenceOf } from './sentences.ts';

/** Entries of the activity, by day: who did what, the fields that changed, from where. `tallies` tells what else a day was, also one without entries. */
type EntriesProps = { rows: readonly Activity[]; tallies?: ReadonlyMap<string, string> };

export function Entries({ rows, tallies = new Map() }: EntriesProps) {
  const pairs = usePairs(rows);
  const days = groupsOf(pairs.told, ({ at }) => new Date(at).toDateString());
  for (const day of tallies.keys()) if (!days.has(day)) days.set(day, []);
  const newestFirst = [...days].sort(([a], [b]) => Date.parse(b) - Date.parse(a));
  return newestFirst.map(([day, entries]) => (
    <section key={day} className="mt-4 mb-6 has-[ol:empty]:my-3">
      <h2 className="border-b border-line pb-2 font-semibold">
        {dayText(day)} <span className="ml-1.5 text-sm font-normal text-quiet">{tallies.get(day)}</span>
      </h2>
      <ol
        aria-label={`Activity, ${dayText(day)}`}
        className="divide-y divide-line border-b border-line empty:hidden"
      >
        {runsOf(entries).map(([first, ...others]) => (
          <Entry key={first!.id} of={first!} others={others} pairs={pairs} />
        ))}
      </ol>
    </section>
  ));
}

/** The last entries of some verbs in few words, on the page that they are about, for those who may read them. */
type LatelyProps = {
  title: string;
  verb: string;
  subject?: string;
  campaign?: string | undefined;
  /** The codes of the alerts among them, where not all are meant. */
  codes?: RegExp;
  most?: number;
};

export function Lately({ title, verb, subject, campaign, codes, most = 8 }: LatelyProps) {
  const enabled = useMay('operate');
  const query = { verb, subject, campaign, limit: codes ? 100 : most };
  const rows = useAsk('GET /api/activity', query, { enabled, everyMs: 15_000 }).data?.items.filter(
    ({ after }) => !codes || after?.code === undefined || codes.test(String(after.code)),
  );
  const pairs = usePairs(rows ?? []);
  if (pairs.told.length === 0) return null;
  return (
    <Section title={title} acts={<MoreLink to="/activity">All activity</MoreLink>} ruled>
      <ol className="divide-y divide-line">
        {runsOf(pairs.told.slice(0, most)).map(([first, ...others]) => (
          <Entry key={first!.id} of={first!} others={others} pairs={pairs} isShort />
        ))}
      </ol>
    </Section>
  );
}

/** With what is so now: filters may hide that a trouble or a pause is over. */
function usePairs(rows: readonly Activity[]): ReturnType<typeof pairsOf> & { lasting: Set<string> } {
  const alerts = useAsk('GET /api/alerts', {});
  const campaigns = useActiveCampaigns(15_000);
  // What lasts stands higher: drawn before it is known, all lines would move.
  if (alerts.isPending || campaigns.isPending) return { over: new Map(), told: [], lasting: new Set() };
  const paused = campaigns.data?.items.filter(({ state }) => state === 'paused') ?? [];
  const raised = alerts.data?.items.map(({ code, subject }) => `${code} ${subject}`) ?? [];
  return { ...pairsOf(rows), lasting: new Set([...raised, ...paused.map(({ id }) => id)]) };
}

type EntryProps = {
  of: Activity;
  others: readonly Activity[];
  pairs: ReturnType<typeof usePairs>;
  isShort?: boolean;
};

function Entry({ of: entry, others, pairs, isShort = false }: EntryProps) {
  const here = useLocation().pathname;
  const needs = useNeeds().items;
  const over = pairs.over.get(entry.id);
  const gravity = !over && pairs.lasting.has(causeOf(entry)) ? gravityOf(entry) : null;
  // What Carillon did by the way, and set-up, is read last.
  const isQuiet = !gravity && (entry.who === 'carillon' || setUp.test(entry.verb));
  const nameLook = isQuiet ? 'link text-text' : 'font-medium hover:underline';
  const { verb, subject, campaign, campaign_id: id, before, after } = entry;
  const by = entry.person ? `, by ${entry.who}` : '';
  // A name where the thing has one: an id names nothing to a person.
  const { name, url, address } = { ...before, ...after };
  const thing = String(name ?? url ?? address ?? subject ?? '');
  const times = isTimes(entry) ? others.length + 1 : 1;
  const isNamed = times === 1 && subject && subject !== id && !isId.test(thing);
  const not = [entry, ...others].filter((each) => each.after?.as === 'not-called').length;
  const told = times > 1 ? { ...entry, after: { ...after, resolved: times, not } } : entry;
  const [begin, end] = sentenceOf(told).split('{campaign}');
  const isOf = end !== undefined && campaign && id;
  // What a campaign waits for is settled where what needs a person says so.
  const act = gravity && id && needs.find(({ of = [] }) => of.includes(id))?.act;
  const place = (isOf && !gravity) || times > 1 ? null : act && 'to' in act ? act : placeOf(entry);
  const details = detailsOf(entry, isShort, thing, over?.at);
  return (
    <li className="flex items-baseline gap-3 py-1 text-sm">
      <span className={classes('shrink-0 text-quiet', isShort ? 'w-28 max-md:w-22' : 'w-16')}>
        <Time at={entry.at} clock={!isShort} />
      </span>
      <span className="grid w-4 shrink-0 translate-y-0.5 place-items-center text-quiet">
        {gravity ? <OutcomeMark state={gravity} /> : <Icon name={iconOf(entry)} size={14} />}
      </span>
      <p className={classes('min-w-0 flex-1', isQuiet && 'text-quiet')} title={`${verb} in the API${by}`}>
        <b className={isQuiet ? 'font-normal' : 'font-semibold'}>{whoText(entry)}</b> {begin}
        {isNamed && ' '}
        {isOf
          ? (times > 1 ? [told] : [entry, ...others]).map((each, nth, all) => (
              <Fragment key={each.id}>
                {nth > 0 && (nth < all.length - 1 ? ', ' : ' and ')}
                <Link to={`/campaigns/${each.campaign_id}`} className={nameLook}>
                  {each.campaign}
                </Link>
                {sentenceOf(each).split('{campaign}')[1]}
              </Fragment>
            ))
          : // One that was deleted has no name, and a budget of all is of the day or the month.
            end !== undefined && `${verb.startsWith('alert.') ? `the ${subject}` : 'a campaign'}${end}`}
        {isNamed && (
          <Link to={place?.to ?? `/activity?subject=${encodeURIComponent(subject)}`} className={nameLook}>
            {thing}
          </Link>
        )}{' '}
        <span className="text-quiet md:ml-1 [overflow-wrap:anywhere]">
          {details.map(({ text, was, is }, nth) => (
            <Fragment key={text}>
              {nth > 0 && ' · '}
              {text} {was && <span className="line-through">{was}</span>}
              {was && ' → '}
              <span className="font-medium text-text">{is}</span>
            </Fragment>
          ))}
        </span>
        {place && place.to !== here && (gravity || !(isNamed || isQuiet)) && (
          <Link to={place.to} className="link ml-3 whitespace-nowrap text-quiet">
            {place.words}
          </Link>
        )}
      </p>
    </li>
  );
}

const setUp = /^(?:token|webhook|view|keep|alert)\./;
const isId = /^[\da-f]{8}-[\da-f-]{27}$/;

/** What the sentence of an alert says before its message does. */
const saidAlready =
  /^The key \S+ is .*?(?:: |$)|^.* calls nobody: |^The caller number \S+ rests: |^The campaign .* has spent (?=[\d.]+ of )| takes no events(?=: )| (?:is|are) unknown$/g;

const loopback = /^(?:127\.|::1$|::ffff:127\.)/;

/** What the sentence does not say: the words of an alert, the fields that changed, and who acted from where, if that is unusual. */
function detailsOf(entry: Activity, isShort: boolean, thing: string, over?: string): Detail[] {
  const { who, address, verb, after } = entry;
  const message =
    verb === 'alert.clear'
      ? !isShort && `the trouble began at ${timeText(String(after?.since))}`
      : String(after?.message ?? '').replace(saidAlready, '');
  const lasted = over && durationText(Date.parse(over) - Date.parse(entry.at));
  const until = over && `until ${clock.format(new Date(over))}, ${lasted}`;
  // Where the actor is this machine, the rest is known.
  const isTold = !isShort && !['loopback', 'cli', 'carillon'].includes(who);
  const by = [isTold && address && !loopback.test(address) && `from ${address}`];
  // A new campaign has its settings on a page of its own.
  const isBare = isShort || verb === 'campaign.create' || verb === 'campaign.pause';
  const texts = (all: unknown[]) =>
    all.flatMap((text) => (text && typeof text === 'string' ? [{ text }] : []));
  return [...texts([until, message]), ...(isBare ? [] : changed(entry, thing)), ...texts(by)];
}

/** First words of the verbs: the things that were changed, as they stand in the navigation. */
const groups = [
  ['campaign,call,bulk', 'Campaigns'],
  ['recipients,recipient,person,suppression,view', 'People'],
  ['unknown,key,number,policy,ledger,secret', 'Safety'],
  ['alert.raise,alert.clear,campaign.pause', 'By Carillon'],
  ['token,webhook,alert.add,alert.remove,keep', 'Set-up'],
] as const;

const hourMs = 3_600_000;
const dayAgo = (days: number) => {
  const day = new Date();
  return new Date(day.getFullYear(), day.getMonth(), day.getDate() - days).toISOString();
};
const times: readonly { value: string; label: string; span?(): { since: string; until?: string } }[] = [
  { value: 'hour', label: 'Last hour', span: () => ({ since: new Date(Date.now() - hourMs).toISOString() }) },
  { value: 'today', label: 'Today', span: () => ({ since: dayAgo(0) }) },
  { value: 'yesterday', label: 'Yesterday', span: () => ({ since: dayAgo(1), until: dayAgo(0) }) },
  { value: 'week', label: '7 days', span: () => ({ since: dayAgo(7) }) },
];

export function ActivityPage() {
  const { search, set, filter } = useFilters('/activity');
  const { verb, subject, since } = search;
  const isExact = since !== undefined && !times.some(({ value }) => value === since);
  const query = useMemo(
    () => ({ ...search, ...times.find(({ value }) => value === search.since)?.span?.() }),
    [search],
  );
  const list = usePages('GET /api/activity', query, { everyMs: 5_000 });
  const campaigns = useCampaignChoices();
  const own = subject ?? verb;
  const isOwn = own !== undefined && (subject || groups.every(([verbs]) => verbs !== verb));
  // Pauses by hand are not noticed by Carillon.
  const choose = (verbs?: string) =>
    set({
      verb: verbs,
      subject: undefined,
      who: verbs?.startsWith('alert.raise') ? 'carillon' : search.who === 'carillon' ? undefined : search.who,
    });
  const filters = Object.values(search).filter((value) => value !== undefined);
  const isFiltered = filters.length > 0;
  const none = since && filters.length === 1 ? 'Nothing was done in this time' : 'Nothing fits these filters';
  return (
    <Page
      title="Activity"
      note="who did what, and what Carillon noticed"
      acts={isFiltered && <Button onClick={() => void navigate({ search: {} })}>Clear the filters</Button>}
    >
      <Filters
        before={
          <Choose
            label="Kind of change"
            of={[
              [undefined, 'Everything'],
              ...groups,
              // An address may name one thing, or one verb, such as policy.set.
              ...(isOwn ? [[own, subject ? 'all of one thing' : `only ${verb}`] as const] : []),
            ]}
            value={own}
            onChange={choose}
          />
        }
      >
        <TextFilter {...filter('who', 'Who')} placeholder="Everyone, or a name" />
        <SelectFilter {...filter('campaign', 'Campaign')} all="Every campaign" choices={campaigns} />
        <SelectFilter
          {...filter('since', 'When')}
          all="Any time"
          choices={isExact ? [...times, { value: since, label: `Since ${timeText(since)}` }] : times}
          onChange={(value) => set({ since: value, until: undefined })}
        />
      </Filters>
      <Listing
        list={list}
        empty={
          <Empty title={isFiltered ? none : 'Nothing has been done yet'}>
            {isFiltered
              ? 'Clear a filter to see more.'
              : 'Each act stands here with who did it, whether on this page, by the API or in a terminal; and what Carillon notices by itself, such as a key without credit.'}
          </Empty>
        }
      >
        {(rows) => <Entries rows={rows} />}
      </Listing>
    </Page>
  );
}
