import { Link } from '@tanstack/react-router';
import { Fragment, type ReactNode } from 'react';
import type { Activity } from '../../api/description.ts';
import { useAsk } from '../../data/queries.ts';
import { OutcomeMark } from '../../kit/badge.tsx';
import { Section } from '../../kit/card.tsx';
import { dayText, Time, timeText } from '../../kit/time.tsx';
import { classes, counted } from '../../kit/words.ts';
import { orderFields } from '../../order/fields.ts';
import { roleText, useMay } from '../../shell/me.ts';
import { PageLink } from '../../shell/page-link.tsx';
import { sourceText } from '../suppressions/columns.tsx';
import { changes } from './changes.ts';
import { orderWords } from './order-words.ts';
import { gravityOf, placeOf } from './places.ts';
import { sentenceOf, whoText } from './sentences.ts';

/** Entries of the activity, by day: who did what, the fields that changed, from where. */
export function Entries({ rows }: { rows: readonly Activity[] }) {
  const days = new Map<string, Activity[]>();
  for (const row of withPeople(rows)) {
    const day = new Date(row.at).toDateString();
    days.set(day, [...(days.get(day) ?? []), row]);
  }
  return [...days].map(([day, entries]) => (
    <section key={day} className="mt-5 mb-6">
      <h2 className="border-b border-line pb-2 font-semibold">{dayText(day)}</h2>
      <ol aria-label={`Activity, ${dayText(day)}`} className="divide-y divide-line border-b border-line">
        {entries.map((entry) => (
          <Entry key={entry.id} of={entry} />
        ))}
      </ol>
    </section>
  ));
}

/** The last entries of some verbs in few words, on the page that they are about, for those who may read them. */
type LatelyProps = {
  title: string;
  verb?: string;
  subject?: string;
  /** The codes of the alerts among them, where not all are meant. */
  codes?: RegExp;
  most?: number;
};

export function Lately({ title, verb, subject, codes, most = 8 }: LatelyProps) {
  const enabled = useMay('operate');
  const query = { verb, subject, limit: codes ? 100 : most };
  const on = ['alert.', 'campaign.', 'key.', 'number.'];
  const rows = useAsk('GET /api/activity', { query }, { on, enabled }).data?.items.filter(
    ({ after }) => !codes || after?.code === undefined || codes.test(String(after.code)),
  );
  if (!rows?.length) return null;
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
      <ol className="divide-y divide-line text-sm">
        {withPeople(rows.slice(0, most)).map((entry) => (
          <Entry key={entry.id} of={entry} isShort />
        ))}
      </ol>
    </Section>
  );
}

const oneActMs = 5_000;

/** People who came with a new campaign are told in its own line. */
function withPeople(rows: readonly Activity[]): Activity[] {
  const told: Activity[] = [];
  for (const row of rows) {
    const last = told.at(-1);
    const isOne =
      last?.verb === 'recipients.add' &&
      row.verb === 'campaign.create' &&
      last.campaign_id === row.campaign_id &&
      last.who === row.who &&
      !last.after?.rejected &&
      Date.parse(last.at) - Date.parse(row.at) < oneActMs;
    if (isOne) told[told.length - 1] = { ...row, after: { ...row.after, new: last.after?.new } };
    else told.push(row);
  }
  return told;
}

function Entry({ of: entry, isShort }: { of: Activity; isShort?: boolean }) {
  const { at, who, person, role, address, verb, subject, campaign_id: id, after } = entry;
  const by = [
    ...(person === null ? [] : [`by ${who}`]),
    // Where the actor is this machine, the rest is known.
    ...(isHere(who) || address === null ? [] : [`from ${address}`]),
    ...(isHere(who) ? [] : [`as ${roleText(role)}`]),
  ].join(' ');
  const gravity = gravityOf(entry);
  const place = placeOf(entry);
  return (
    <li className={classes('flex gap-x-2', isShort ? 'py-1.5' : 'py-2.5')}>
      <span className={classes('shrink-0 text-sm leading-5 text-quiet', isShort ? 'w-20' : 'w-24')}>
        {isShort ? <Time at={at} /> : <Time at={at} clock seconds />}
      </span>
      <span className="w-3 shrink-0 pt-1">{gravity && <OutcomeMark state={gravity} />}</span>
      <div className="flex min-w-0 flex-1 flex-wrap items-start gap-x-4">
        <div className="min-w-0 flex-1 basis-64">
          <p title={`${verb}, as the API names it`}>
            <Link to="/activity" search={{ who }} className="font-semibold hover:underline">
              {whoText(entry)}
            </Link>{' '}
            <Sentence of={entry} />
            {subject && subject !== id && !isId(entry) && after?.code !== 'budget-near' && (
              <>
                {' '}
                <Link
                  to="/activity"
                  search={{ subject }}
                  title={subject}
                  className="link text-quiet [overflow-wrap:anywhere]"
                >
                  {subjectText(entry)}
                </Link>
              </>
            )}
          </p>
          {typeof after?.message === 'string' && !(isShort && verb === 'alert.clear') && (
            <p className="text-sm text-quiet [overflow-wrap:anywhere]">
              {verb === 'alert.clear'
                ? `The trouble began at ${timeText(String(after.since))}`
                : after.message}
            </p>
          )}
          {!isShort && (
            <p className="max-w-3xl text-sm text-quiet [overflow-wrap:anywhere] empty:hidden">
              {[...changed(entry), by].filter(Boolean).map((each, nth) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: what was recorded never changes.
                <Fragment key={nth}>
                  {nth > 0 && ' · '}
                  {each}
                </Fragment>
              ))}
            </p>
          )}
        </div>
        {place && (
          <PageLink to={place.to} className="link text-sm whitespace-nowrap text-quiet">
            {place.words}
          </PageLink>
        )}
      </div>
    </li>
  );
}

/** The fields that changed, each in its words. */
function changed(entry: Activity): ReactNode[] {
  const { verb, before, after, campaign } = entry;
  if (isBySelf(entry)) return [];
  const words = verb.startsWith('campaign.') ? orderWords : otherWords;
  return changes(before, after)
    .filter(
      // What is not there, and what the line has said already, tells nothing.
      ({ field, was, is }) =>
        !told.has(field) &&
        // Any day is what is usual.
        !(field === 'days' && is.split(',').length === 7) &&
        !(was === null && ['0', campaign, subjectText(entry)].includes(is)),
    )
    .map(({ field, was, is }) => {
      if (was === null) return words[field]?.(is) ?? `${labelOf(field)} ${valueText(field, is)}`;
      return (
        <>
          {labelOf(field)} <span className="line-through">{valueText(field, was)}</span>
          {' → '}
          <span className="font-medium text-text">{valueText(field, is)}</span>
        </>
      );
    });
}

/** What Carillon noticed, and a pause that it made: the sentence tells all of it. */
const isBySelf = ({ who, verb }: Activity) =>
  who === 'carillon' && /^(?:alert\.(?:raise|clear)|campaign\.pause)$/.test(verb);
const isHere = (who: string) => ['loopback', 'cli', 'carillon'].includes(who);

/** The field of an order by the name of its form. */
function labelOf(field: string): string {
  if (field === 'body') return 'rules';
  const label = orderFields.find(({ name }) => name === field)?.label ?? field.replaceAll('_', ' ');
  return label.toLowerCase();
}

function valueText(field: string, value: string): string {
  if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)) return timeText(value);
  if (field === 'body') return value.replace(/^\((.*)\)$/, '$1');
  if (field === 'source') return sourceText(value as 'api');
  if (field === 'window' || field === 'retry') return orderWords[field]!(value);
  return field === 'role' ? value.replace('_', ' ') : value;
}

/** What else was set, where its name and value would read as a form. */
const otherWords: Readonly<Record<string, (value: string) => string>> = {
  until: (value) => `until ${timeText(value)}`,
  source: (value) => sourceText(value as 'api'),
  skipped: (value) => `${counted(Number(value), 'person', 'people')} skipped`,
  ends_at: (value) => `ends ${timeText(value)}`,
  events: (value) => `hears of ${value}`,
  role: (value) => `with the role “${value.replace('_', ' ')}”`,
};

/** A name where the thing has one; the id stands in the title. */
function subjectText({ subject, before, after }: Activity): string {
  const { name, url, address } = { ...before, ...after };
  return String(name ?? url ?? address ?? subject ?? '');
}

/** An id names nothing to a person. */
const isId = (entry: Activity) => /^[\da-f]{8}-[\da-f-]{27}$/.test(subjectText(entry));

/** Fields that the sentence tells. */
const told = new Set(
  'new known changed accepted rejected start state hang_up count added url address kind as'.split(' '),
);

/** A campaign that was deleted; or a budget of all campaigns, whose subject is the day or the month. */
const noCampaign = ({ verb, subject }: Activity) =>
  verb.startsWith('alert.') ? `the ${subject}` : 'a campaign';

/** The campaign's name is its link. */
function Sentence({ of: entry }: { of: Activity }) {
  const { campaign, campaign_id: id } = entry;
  const [before, after] = sentenceOf(entry).split('{campaign}');
  if (after === undefined) return before;
  return (
    <>
      {before}
      {campaign && id ? (
        <PageLink to={`/campaigns/${id}`} className="font-medium hover:underline">
          {campaign}
        </PageLink>
      ) : (
        noCampaign(entry)
      )}
      {after}
    </>
  );
}
