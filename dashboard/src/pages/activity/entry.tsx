import { Link } from '@tanstack/react-router';
import type { Activity } from '../../api/description.ts';
import { Time } from '../../kit/time.tsx';
import { PageLink } from '../../shell/page-link.tsx';
import { changes } from './changes.ts';
import { sentenceOf } from './sentences.ts';

/** One entry of the activity: who did what, from where, and the fields that changed. */
export function Entry({ of: entry }: { of: Activity }) {
  const { at, who, person, role, address, verb, subject, campaign_id: id, before, after } = entry;
  const lines = changes(before, after).filter(({ field }) => !(field in told));
  return (
    <li className="grid gap-x-4 gap-y-0.5 py-2 md:grid-cols-[7rem_minmax(0,1fr)_auto]">
      <span className="text-sm text-quiet">
        <Time at={at} />
      </span>
      <div className="min-w-0">
        <p>
          <Link to="/activity" search={{ who }} className="font-semibold hover:underline" title={who}>
            {person ?? (who === 'loopback' ? 'This machine' : who)}
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
        {lines.length > 0 && (
          <ul className="flex flex-wrap gap-x-4 text-sm text-quiet">
            {lines.map(({ field, was, is }) => (
              <li key={field} className="min-w-0 break-words">
                {field.replaceAll('_', ' ')} {was !== null && <span className="line-through">{was}</span>}
                {was !== null && ' → '} <span className="text-text">{is}</span>
              </li>
            ))}
          </ul>
        )}
      </div>
      <p className="min-w-0 text-xs break-words text-quiet md:text-right">
        <span title={`${verb}, as the API names it`}>{verb}</span>
        {`, ${role.replace('_', ' ')}`}
        {address && `, ${address}`}
      </p>
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
