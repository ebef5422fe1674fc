import { useLive } from '../../data/queries.ts';
import { Meter } from '../../kit/bars.tsx';
import { buttonClasses } from '../../kit/basics.tsx';
import { Glance, Page, Read } from '../../kit/page.tsx';
import { Link, useParams } from '../../kit/router.tsx';
import { Time } from '../../kit/values.tsx';
import { count, counted } from '../../kit/words.ts';

/** How far an import is, and what came of it. */

export function ImportPage() {
  const { id } = useParams('/imports/$id');
  const found = useLive('GET /api/imports/{id}', { id }, { everyMs: 1_500, on: ['import.'] });
  if (!found.data) return <Read of={found} />;
  const { campaign, state, reason, rejects, rejected, accepted, rows_read: rows, ...of } = found.data;
  const to = `/campaigns/${encodeURIComponent(campaign)}`;
  const part = of.bytes === 0 ? 0 : Math.min(1, of.bytes_read / of.bytes);
  return (
    <Page
      title="Import"
      up={{ to, label: campaign }}
      state={
        <span className="text-sm text-quiet max-sm:hidden">
          sent <Time at={of.created_at} />
        </span>
      }
      acts={
        state === 'done' && (
          <Link to={to} className={buttonClasses('main')}>
            Open the campaign
          </Link>
        )
      }
    >
      {state === 'failed' ? (
        <Glance level="act" title={`Nothing was stored: ${reason}`}>
          Correct the list and send it again.
        </Glance>
      ) : state !== 'done' ? (
        <Meter label="Progress" value={part} words={`${counted(rows, 'row')} read`} />
      ) : (
        <Glance
          level={rejected === 0 ? 'fine' : 'watch'}
          title={`${count(accepted)} of ${counted(rows, 'row')} stored, ${count(rejected)} rejected.`}
        >
          {rejected > 0 && 'Correct the rejected rows and send them again: nobody is added twice.'}
        </Glance>
      )}
      <ol aria-label="Rejected rows" className="divide-y divide-line text-sm">
        {rejects?.map(({ row, reason: why }) => (
          <li key={row} className="py-2">
            <span className="mr-4 text-quiet">row {count(row)}</span>
            {why}
          </li>
        ))}
      </ol>
    </Page>
  );
}
