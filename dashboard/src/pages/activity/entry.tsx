import { Fragment } from 'react';
import type { Activity } from '../../api/description.ts';
import { useAsk } from '../../data/queries.ts';
import { OutcomeMark } from '../../kit/badge.tsx';
import { Section } from '../../kit/card.tsx';
import { Icon } from '../../kit/icon.tsx';
import { dayText, Time, timeText } from '../../kit/time.tsx';
import { classes } from '../../kit/words.ts';
import { roleText, useMay, useMe } from '../../shell/me.ts';
import { PageLink } from '../../shell/page-link.tsx';
import { changed, type Detail } from './changes.ts';
import { gravityOf, iconOf, placeOf } from './places.ts';
import { isTimes, overOf, runsOf } from './runs.ts';
import { sentenceOf, whoText } from './sentences.ts';

/** Entries of the activity, by day: who did what, the fields that changed, from where. */
export function Entries({ rows }: { rows: readonly Activity[] }) {
  const days = new Map<string, Activity[]>();
  for (const entry of rows) {
    const day = new Date(entry.at).toDateString();
    days.set(day, [...(days.get(day) ?? []), entry]);
  }
  const over = overOf(rows);
  return [...days].map(([day, entries]) => (
    <section key={day} className="mt-4 mb-6">
      <h2 className="border-b border-line pb-2 font-semibold">{dayText(day)}</h2>
      <ol aria-label={`Activity, ${dayText(day)}`} className="divide-y divide-line border-b border-line">
        {runsOf(entries).map(([first, ...others]) => (
          <Entry key={first!.id} of={first!} others={others} over={over.get(first!.id)} />
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
  const rows = useAsk('GET /api/activity', { query }, { enabled, everyMs: 15_000 }).data?.items.filter(
    ({ after }) => !codes || after?.code === undefined || codes.test(String(after.code)),
  );
  if (!rows || rows.length === 0) return null;
  const over = overOf(rows);
  return (
    <Section
      id="lately"
      title={title}
      acts={
        <PageLink to="/activity" className="text-sm text-quiet hover:underline">
          All activity
        </PageLink>
      }
      ruled
    >
      <ol className="divide-y divide-line">
        {runsOf(rows.slice(0, most)).map(([first, ...others]) => (
          <Entry key={first!.id} of={first!} others={others} over={over.get(first!.id)} isShort />
        ))}
      </ol>
    </Section>
  );
}

/** A sentence, what else there is to tell, and where to go. */
const line = 'flex items-baseline gap-x-3 py-1 text-sm';
type EntryProps = {
  of: Activity;
  others: readonly Activity[];
  /** When the trouble or the pause ended, if it is over. */
  over: string | undefined;
  isShort?: boolean;
};

function Entry({ of: entry, others, over, isShort = false }: EntryProps) {
  const gravity = over ? null : gravityOf(entry);
  const role = useMe().data?.role;
  const { verb, subject, campaign, campaign_id: id, before, after } = entry;
  // A name where the thing has one: an id names nothing to a person.
  const { name, url, address } = { ...before, ...after };
  const thing = String(name ?? url ?? address ?? subject ?? '');
  const isNamed = subject && subject !== id && !isId.test(thing) && after?.code !== 'budget-near';
  const times = isTimes(entry) ? others.length + 1 : 1;
  const told = times > 1 ? { ...entry, after: { ...after, resolved: times } } : entry;
  const [begin, end] = sentenceOf(told).split('{campaign}');
  const isOf = end !== undefined && campaign && id;
  const place = (isOf && !gravity) || times > 1 || over ? null : placeOf(entry);
  const details = detailsOf(entry, isShort, thing, role);
  return (
    <li className={classes(line, isShort ? 'flex-wrap' : 'max-md:flex-wrap')}>
      <span className={classes('shrink-0 text-quiet', isShort ? 'w-28' : 'w-16')}>
        <Time at={entry.at} clock={!isShort} />
      </span>
      <span className="grid w-4 shrink-0 translate-y-0.5 place-items-center text-quiet">
        {gravity ? <OutcomeMark state={gravity} /> : <Icon name={iconOf(entry)} size={14} />}
      </span>
      <p
        className={classes('min-w-0 flex-1', isShort ? 'basis-[60%]' : 'max-md:basis-[60%]')}
        title={`${verb}, as the API names it`}
      >
        <b className="font-semibold">{whoText(entry)}</b> {begin}
        {isOf
          ? (times > 1 ? [told] : [entry, ...others]).map((each, nth, all) => (
              <Fragment key={each.id}>
                {nth > 0 && (nth < all.length - 1 ? ', ' : ' and ')}
                <PageLink to={`/campaigns/${each.campaign_id}`} className="link">
                  {each.campaign}
                </PageLink>
                {sentenceOf(each).split('{campaign}')[1]}
              </Fragment>
            ))
          : // One that was deleted has no name, and a budget of all is of the day or the month.
            end !== undefined && `${verb.startsWith('alert.') ? `the ${subject}` : 'a campaign'}${end}`}
        {isNamed && times === 1 && ` ${thing}`}
        <span className="ml-2 text-quiet [overflow-wrap:anywhere]">
          {over && (
            <>
              until <Time at={over} clock={dayText(over) === dayText(entry.at)} />
              {details.length > 0 && ' · '}
            </>
          )}
          {details.map(({ text, was, is }, nth) => (
            <Fragment key={text}>
              {nth > 0 && ' · '}
              {text} {was && <span className="line-through">{was}</span>}
              {was && ' → '}
              <span className="font-medium text-text">{is}</span>
            </Fragment>
          ))}
        </span>
      </p>
      {place && (
        <PageLink to={place.to} className="link ml-auto whitespace-nowrap text-quiet">
          {place.words}
        </PageLink>
      )}
    </li>
  );
}

const isId = /^[\da-f]{8}-[\da-f-]{27}$/;

const loopback = /^(?:127\.|::1$|::ffff:127\.)/;

/** What the sentence does not say: the words of an alert, the fields that changed, and who acted from where, if that is unusual. */
function detailsOf(entry: Activity, isShort: boolean, thing: string, mine?: string): Detail[] {
  const { who, person, role, address, verb, after } = entry;
  const message =
    verb === 'alert.clear'
      ? !isShort && `the trouble began at ${timeText(String(after?.since))}`
      : // What the sentence says already is left out.
        String(after?.message ?? '').replace(/^The key \S+ is without credit: /, '');
  // Where the actor is this machine, the rest is known.
  const isTold = !isShort && !['loopback', 'cli', 'carillon'].includes(who);
  const by = [
    !isShort && person && `by ${who}`,
    isTold && address && !loopback.test(address) && `from ${address}`,
    isTold && role !== mine && `as ${roleText(role)}`,
  ];
  // A new campaign has its settings on a page of its own.
  const isBare = isShort || verb === 'campaign.create' || (who === 'carillon' && verb === 'campaign.pause');
  const texts = (all: unknown[]) =>
    all.flatMap((text) => (text && typeof text === 'string' ? [{ text }] : []));
  return [...texts([message]), ...(isBare ? [] : changed(entry, thing)), ...texts(by)];
}
