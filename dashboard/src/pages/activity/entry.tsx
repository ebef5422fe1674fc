import { Link } from '@tanstack/react-router';
import type { Activity } from '../../api/description.ts';
import { dayText, Time } from '../../kit/time.tsx';
import { PageLink } from '../../shell/page-link.tsx';
import { changes } from './changes.ts';
import { sentenceOf, whoText } from './sentences.ts';

/** Entries of the activity, by day: who did what, the fields that changed, from where. */
export function Entries({ rows }: { rows: readonly Activity[] }) {
  const days = new Map<string, Activity[]>();
  for (const row of rows) {
    const day = new Date(row.at).toDateString();
    days.set(day, [...(days.get(day) ?? []), row]);
  }
  return [...days].map(([day, entries]) => (
    <section key={day} className="mb-6 max-w-4xl">
      <h2 className="border-b border-line pb-2 font-semibold">{dayText(day)}</h2>
      <ol aria-label={`Activity, ${dayText(day)}`} className="divide-y divide-line border-b border-line">
        {entries.map((entry) => (
          <Entry key={entry.id} of={entry} />
        ))}
      </ol>
    </section>
  ));
}

function Entry({ of: entry }: { of: Activity }) {
  const { at, who, person, role, address, verb, subject, campaign_id: id, before, after } = entry;
  const lines = changes(before, after).filter(
    ({ field, was, is }) => !(field in told) && !(field === 'name' && was === null && is === entry.campaign),
  );
  const by = [
    ...(person === null ? [] : [who]),
    ...(address === null ? [] : [address]),
    ...(who === 'carillon' ? [] : [role.replace('_', ' ')]),
  ].join(', ');
  return (
    <li className="grid grid-cols-[4rem_minmax(0,1fr)] gap-x-3 py-2.5 md:grid-cols-[5.5rem_minmax(0,1fr)]">
      <span className="text-sm text-quiet">
        <Time at={at} clock />
      </span>
      <div className="min-w-0">
        <p title={`${verb}, as the API names it`}>
          <Link to="/activity" search={{ who }} className="font-semibold hover:underline">
            {whoText(entry)}
          </Link>{' '}
          <Sentence of={entry} />
          {subject && subject !== id && (
            <>
              {' '}
              <Link
                to="/activity"
                search={{ subject }}
                className="font-mono text-xs break-all text-quiet hover:underline"
              >
                {subject}
              </Link>
            </>
          )}
        </p>
        {(lines.length > 0 || by !== '') && (
          <ul className="flex flex-wrap gap-x-4 text-sm text-quiet">
            {lines.map(({ field, was, is }) => (
              <li key={field} className="min-w-0 break-words">
                {field.replaceAll('_', ' ')} {was !== null && <span className="line-through">{was}</span>}
                {was !== null && ' → '} <span className="text-text">{is}</span>
              </li>
            ))}
            {by !== '' && <li className="min-w-0 break-words">by {by}</li>}
          </ul>
        )}
      </div>
    </li>
  );
}

/** Fields that the sentence tells. */
const told: Record<string, true> = {
  new: true,
  known: true,
  changed: true,
  accepted: true,
  rejected: true,
  start: true,
  state: true,
  hang_up: true,
};

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
