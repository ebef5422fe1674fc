import { Link } from '@tanstack/react-router';
import type { Activity } from '../../api/description.ts';
import { dayText, isSameMinute, Time, timeText } from '../../kit/time.tsx';
import { counted } from '../../kit/words.ts';
import { orderFields } from '../../order/fields.ts';
import { roleText } from '../../shell/me.ts';
import { PageLink } from '../../shell/page-link.tsx';
import { sourceText } from '../suppressions/columns.tsx';
import { eventWords } from '../webhooks/events.tsx';
import { changes } from './changes.ts';
import { orderWords } from './order-words.ts';
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
        {entries.map((entry, nth) => (
          <Entry key={entry.id} of={entry} isClose={isClose(entry, entries[nth - 1], entries[nth + 1])} />
        ))}
      </ol>
    </section>
  ));
}

/** Of two within a minute, the seconds tell which came first. */
const isClose = ({ at }: Activity, ...others: (Activity | undefined)[]) =>
  others.some((other) => other && isSameMinute(at, other.at));

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

function Entry({ of: entry, isClose: seconds }: { of: Activity; isClose: boolean }) {
  const { at, who, person, role, address, verb, subject, campaign_id: id, before, after } = entry;
  const lines = isBySelf(entry)
    ? []
    : changes(before, after).filter(
        // What is not there, and what the line has said already, tells nothing.
        ({ field, was, is }) =>
          !told.has(field) &&
          // Any day is what is usual.
          !(field === 'days' && is.split(',').length === 7) &&
          !(was === null && ['0', entry.campaign, subjectText(entry)].includes(is)),
      );
  const words = verb.startsWith('campaign.') ? orderWords : otherWords;
  const by = [
    ...(person === null ? [] : [`by ${who}`]),
    // Where the actor is this machine, the rest is known.
    ...(isHere(who) || address === null ? [] : [`from ${address}`]),
    ...(isHere(who) ? [] : [`as ${roleText(role)}`]),
  ].join(' ');
  return (
    <li className="grid grid-cols-[5.5rem_minmax(0,1fr)] gap-x-3 py-2.5">
      <span className="text-sm leading-5 text-quiet">
        <Time at={at} clock seconds={seconds} />
      </span>
      <div className="min-w-0">
        <p title={`${verb}, as the API names it`}>
          <Link to="/activity" search={{ who }} className="font-semibold hover:underline">
            {whoText(entry)}
          </Link>{' '}
          <Sentence of={entry} />
          {subject && subject !== id && !isId(entry) && (
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
        {typeof after?.message === 'string' && (
          <p className="text-sm text-quiet [overflow-wrap:anywhere]">
            {verb === 'alert.clear' ? `The trouble began at ${timeText(String(after.since))}` : after.message}
          </p>
        )}
        {(lines.length > 0 || by !== '') && (
          <ul className="mt-0.5 grid gap-x-6 text-sm text-quiet sm:grid-cols-2 xl:grid-cols-3">
            {lines.map(({ field, was, is }) => (
              <li key={field} className="min-w-0 break-words">
                {was === null && words[field] ? (
                  words[field](is)
                ) : (
                  <>
                    {labelOf(field)}{' '}
                    {was !== null && <span className="line-through">{valueText(field, was)}</span>}
                    {was !== null && ' → '}{' '}
                    <span className={was === null ? undefined : 'font-medium text-text'}>
                      {valueText(field, is)}
                    </span>
                  </>
                )}
              </li>
            ))}
            {by !== '' && <li className="min-w-0 break-words">{by}</li>}
          </ul>
        )}
      </div>
    </li>
  );
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
  if (field === 'events') return value.split(', ').map(eventWords).join(', ');
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
  events: (value) => `hears of ${value.split(', ').map(eventWords).join(', ')}`,
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
  'new known changed accepted rejected start state hang_up count added url address kind'.split(' '),
);

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
        'a campaign'
      )}
      {after}
    </>
  );
}
