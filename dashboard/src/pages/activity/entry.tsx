import { Link } from '@tanstack/react-router';
import type { Activity } from '../../api/description.ts';
import { Time } from '../../kit/time.tsx';
import { PageLink } from '../../shell/page-link.tsx';
import { changes } from './changes.ts';

/** One entry of the activity: what, by whom, from where, and what changed. */
export function Entry({ of: entry }: { of: Activity }) {
  const { at, who, role, address, verb, subject, campaign, campaign_id: id, before, after } = entry;
  const lines = changes(before, after);
  return (
    <li className="grid gap-x-4 gap-y-1 px-4 py-2 md:grid-cols-[8.5rem_minmax(0,1fr)_minmax(0,16rem)]">
      <span className="text-sm text-quiet">
        <Time at={at} />
      </span>
      <div className="min-w-0">
        <p className="flex flex-wrap gap-x-2">
          <span className="font-medium">{verb}</span>
          {campaign && id && <PageLink to={`/campaigns/${id}`}>{campaign}</PageLink>}
          {subject && subject !== id && (
            <Link to="." search={{ subject }} className="min-w-0 font-mono text-sm break-all text-quiet">
              {subject}
            </Link>
          )}
        </p>
        {lines.length > 0 && (
          <ul className="flex flex-wrap gap-x-4 text-sm">
            {lines.map(({ field, was, is }) => (
              <li key={field} className="min-w-0 break-words">
                <span className="text-quiet">{field}</span>{' '}
                {was !== null && <span className="text-quiet line-through">{was}</span>} {is}
              </li>
            ))}
          </ul>
        )}
      </div>
      <p className="min-w-0 text-sm break-words md:text-right">
        <Link to="." search={{ who }} className="link">
          {who}
        </Link>{' '}
        <span className="text-quiet">
          {role.replace('_', ' ')}
          {address && `, ${address}`}
        </span>
      </p>
    </li>
  );
}
