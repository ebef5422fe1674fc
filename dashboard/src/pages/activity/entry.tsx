import { Link } from '@tanstack/react-router';
import { Fragment, useState } from 'react';
import type { Activity } from '../../api/description.ts';
import { useAsk } from '../../data/queries.ts';
import { OutcomeMark } from '../../kit/badge.tsx';
import { Section } from '../../kit/card.tsx';
import { Icon } from '../../kit/icon.tsx';
import { dayText, Time, timeText } from '../../kit/time.tsx';
import { classes } from '../../kit/words.ts';
import { roleText, useMay } from '../../shell/me.ts';
import { PageLink } from '../../shell/page-link.tsx';
import { changed, type Detail } from './changes.ts';
import { gravityOf, iconOf, placeOf } from './places.ts';
import { sentenceOf, whoText } from './sentences.ts';

/** Entries of the activity, by day: who did what, the fields that changed, from where. */
export function Entries({ rows }: { rows: readonly Activity[] }) {
  const days = new Map<string, Group[]>();
  for (const group of joined(rows)) {
    const day = new Date(group[0].at).toDateString();
    days.set(day, [...(days.get(day) ?? []), group]);
  }
  return [...days].map(([day, groups]) => (
    <section key={day} className="mt-5 mb-6">
      <h2 className="border-b border-line pb-2 font-semibold">{dayText(day)}</h2>
      <ol aria-label={`Activity, ${dayText(day)}`} className="divide-y divide-line border-b border-line">
        {groups.map((group) => (
          <Entry key={group[0].id} of={group} />
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
  /** The words where there is none; without them the part is left out. */
  none?: string;
};

export function Lately({ title, verb, subject, campaign, codes, most = 8, none }: LatelyProps) {
  const enabled = useMay('operate');
  const query = { verb, subject, campaign, limit: codes ? 100 : most };
  const on = ['alert.', 'campaign.', 'key.', 'number.'];
  const rows = useAsk('GET /api/activity', { query }, { on, enabled }).data?.items.filter(
    ({ after }) => !codes || after?.code === undefined || codes.test(String(after.code)),
  );
  if (!rows || (rows.length === 0 && !none)) return null;
  return (
    <Section
      id="lately"
      title={title}
      acts={
        <PageLink to="/activity" className="text-sm text-quiet hover:underline">
          All activity
        </PageLink>
      }
    >
      {rows.length === 0 && <p className="text-quiet">{none}</p>}
      <ol className="divide-y divide-line text-sm">
        {joined(rows.slice(0, most)).map((group) => (
          <Entry key={group[0].id} of={group} isShort />
        ))}
      </ol>
    </Section>
  );
}

const oneActMs = 5_000;
const togetherMs = 60_000;
/** Mostly one; several where one did the same to some campaigns within a minute. */
type Group = [Activity, ...Activity[]];

/** `made and started`: what was done to a campaign, without which and how many people. */
const didTo = (entry: Activity) => sentenceOf(entry).split('{campaign}')[0]!;

function joined(rows: readonly Activity[]): Group[] {
  const told: Group[] = [];
  for (const row of rows) {
    let entry = row;
    const last = told.at(-1)?.at(-1);
    const isOne =
      last?.verb === 'recipients.add' &&
      row.verb === 'campaign.create' &&
      last.campaign_id === row.campaign_id &&
      last.who === row.who &&
      !last.after?.rejected &&
      Date.parse(last.at) - Date.parse(row.at) < oneActMs;
    // People who came with a new campaign are told in its own line.
    if (isOne) {
      told.pop();
      entry = { ...row, after: { ...row.after, new: last.after?.new } };
    }
    const group = told.at(-1);
    const isAlike =
      group &&
      /^campaign\.(?:create|start|pause|cancel|delete)$/.test(entry.verb) &&
      group[0].verb === entry.verb &&
      group[0].who === entry.who &&
      didTo(group[0]) === didTo(entry) &&
      Date.parse(group[0].at) - Date.parse(entry.at) < togetherMs;
    if (isAlike) group.push(entry);
    else told.push([entry]);
  }
  return told.flatMap((group) => (group.length > 2 ? [group] : group.map((each): Group => [each])));
}

/** In one line; what else there is to tell is cut, and opened told whole: of several, each. */
function Entry({ of: group, isShort = false }: { of: Group; isShort?: boolean }) {
  const [isOpen, setOpen] = useState(false);
  const [entry] = group;
  const isSeveral = group.length > 1;
  const name = nameOf(entry);
  const gravity = gravityOf(entry);
  const place = isSeveral ? null : placeOf(entry);
  const { at, who, verb, subject, campaign_id: id, after } = entry;
  const details = isSeveral
    ? [{ text: group.map(({ campaign }) => campaign ?? 'one that was deleted').join(', ') }]
    : detailsOf(entry, isShort, name);
  return (
    <>
      <li className={classes('flex items-baseline gap-x-3 py-2', isShort ? 'flex-wrap' : 'max-md:flex-wrap')}>
        <span className={classes('shrink-0 text-sm text-quiet', isShort ? 'w-18' : 'w-22')}>
          {isShort ? <Time at={at} /> : <Time at={at} clock seconds />}
        </span>
        <span className="grid w-4 shrink-0 translate-y-0.5 place-items-center text-quiet">
          {gravity ? <OutcomeMark state={gravity} /> : <Icon name={iconOf(entry)} size={14} />}
        </span>
        <p
          className={classes('min-w-0', isShort ? 'flex-1 basis-[60%]' : 'max-md:flex-1 max-md:basis-[60%]')}
          title={`${verb}, as the API names it`}
        >
          <Link to="/activity" search={{ who }} className="font-semibold hover:underline">
            {whoText(entry)}
          </Link>{' '}
          {isSeveral ? `${didTo(entry)}${group.length} campaigns` : <Sentence of={entry} />}
          {subject && subject !== id && !isId.test(name) && after?.code !== 'budget-near' && (
            <>
              {' '}
              <Link
                to="/activity"
                search={{ subject }}
                title={subject}
                className="link text-quiet [overflow-wrap:anywhere]"
              >
                {name}
              </Link>
            </>
          )}
        </p>
        {details.length > 0 && (
          <button
            type="button"
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
            className={classes(
              'w-0 min-w-24 flex-1 text-left text-sm text-quiet hover:text-text',
              isOpen ? '[overflow-wrap:anywhere]' : 'truncate',
            )}
          >
            {details.map(({ text, was, is }, nth) => (
              <Fragment key={text}>
                {nth > 0 && ' · '}
                {text} {was && <span className="line-through">{was}</span>}
                {was && ' → '}
                <span className="font-medium text-text">{is}</span>
              </Fragment>
            ))}
          </button>
        )}
        {place && (
          <PageLink to={place.to} className="link ml-auto text-sm whitespace-nowrap text-quiet">
            {place.words}
          </PageLink>
        )}
      </li>
      {isOpen && isSeveral && group.map((each) => <Entry key={each.id} of={[each]} isShort={isShort} />)}
    </>
  );
}

/** What the sentence does not say: the words of an alert, the fields that changed, and who acted from where. */
function detailsOf(entry: Activity, isShort: boolean, name: string): readonly Detail[] {
  const { who, person, role, address, verb, after } = entry;
  const message =
    verb === 'alert.clear'
      ? !isShort && `the trouble began at ${timeText(String(after?.since))}`
      : after?.message;
  // Where the actor is this machine, the rest is known.
  const isHere = ['loopback', 'cli', 'carillon'].includes(who);
  const by = [
    person !== null && `by ${who}`,
    !isHere && address !== null && `from ${address}`,
    !isHere && `as ${roleText(role)}`,
  ];
  const rest = isShort || (who === 'carillon' && verb === 'campaign.pause') ? [] : changed(entry, name);
  const textsOf = (texts: readonly unknown[]) =>
    texts.flatMap((text) => (typeof text === 'string' ? [{ text }] : []));
  return [...textsOf([message]), ...rest, ...textsOf(isShort ? [] : by)];
}

/** A name where the thing has one; the id stands in the title. */
function nameOf({ subject, before, after }: Activity): string {
  const { name, url, address } = { ...before, ...after };
  return String(name ?? url ?? address ?? subject ?? '');
}

/** An id names nothing to a person. */
const isId = /^[\da-f]{8}-[\da-f-]{27}$/;

/** The campaign's name is its link; one that was deleted has none, and a budget of all is of the day or the month. */
function Sentence({ of: entry }: { of: Activity }) {
  const { campaign, campaign_id: id, verb, subject } = entry;
  const [before, after] = sentenceOf(entry).split('{campaign}');
  if (after === undefined) return before;
  const link = campaign && id && (
    <PageLink to={`/campaigns/${id}`} className="font-medium hover:underline">
      {campaign}
    </PageLink>
  );
  return (
    <>
      {before}
      {link || (verb.startsWith('alert.') ? `the ${subject}` : 'a campaign')}
      {after}
    </>
  );
}
