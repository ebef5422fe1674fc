import { getRouteApi } from '@tanstack/react-router';
import type { Import } from '../../api/description.ts';
import { useLive } from '../../data/use-live.ts';
import { Badge } from '../../kit/badge.tsx';
import { Card, Section } from '../../kit/card.tsx';
import { Empty, Read } from '../../kit/empty.tsx';
import { Meter } from '../../kit/meter.tsx';
import { Notice } from '../../kit/notice.tsx';
import { PageHead } from '../../kit/page.tsx';
import { Stat, Stats } from '../../kit/stat.tsx';
import { durationText, Time } from '../../kit/time.tsx';
import { count, counted } from '../../kit/words.ts';
import { PageLink } from '../../shell/page-link.tsx';

/** How far an import is, and what came of it. */
const address = getRouteApi('/imports/$id');

export function ImportPage() {
  const { id } = address.useParams();
  const found = useLive('GET /api/imports/{id}', { params: { id } }, { everyMs: 1_500, on: ['import.'] });
  return <Read of={found}>{(shown) => <Shown of={shown} />}</Read>;
}

function Shown({ of: shown }: { of: Import }) {
  const { campaign, state, reason, rejects, rejected, accepted, rows_read: rows, format } = shown;
  return (
    <>
      <PageHead title={`Import for ${campaign}`}>
        <span className="flex flex-wrap items-center gap-x-2">
          <Badge state={state} />
          <span>
            {format.toUpperCase()}, sent <Time at={shown.created_at} />
          </span>
          <PageLink to={`/campaigns/${encodeURIComponent(campaign)}`}>Open the campaign</PageLink>
        </span>
      </PageHead>
      <div className="mb-6 space-y-4">
        {state === 'failed' && (
          <Notice tone="bad" isAlert title={reason}>
            Nothing was stored. Correct the list and send it again.
          </Notice>
        )}
        <Card>
          {state !== 'failed' && <HowFar of={shown} />}
          <Stats>
            <Stat name="Rows read">{count(rows)}</Stat>
            <Stat name="On the list" note="people on it before count too">
              {count(accepted)}
            </Stat>
            <Stat name="Rejected">{count(rejected)}</Stat>
            {shown.ended_at && (
              <Stat name="Took">
                {durationText(new Date(shown.ended_at).getTime() - new Date(shown.created_at).getTime())}
              </Stat>
            )}
          </Stats>
        </Card>
      </div>
      {rejected > 0 && (
        <Section id="rejects" title={`${counted(rejected, 'row')} rejected`} bare={rejects === null}>
          {rejects === null ? (
            <Empty title="Rejected rows are hidden">They hold what the list said about people.</Empty>
          ) : (
            <ul className="divide-y divide-line text-sm">
              {rejects.map(({ row, reason: why }) => (
                <li key={row} className="grid grid-cols-[5rem_minmax(0,1fr)] gap-x-4 py-1">
                  <span className="number text-quiet">row {count(row)}</span>
                  <span className="break-words">{why}</span>
                </li>
              ))}
              {rejected > rejects.length && (
                <li className="py-1 text-quiet">The first {count(rejects.length)} are shown.</li>
              )}
            </ul>
          )}
        </Section>
      )}
    </>
  );
}

function HowFar({ of: { bytes, bytes_read: read, state } }: { of: Import }) {
  if (bytes === 0) return null;
  if (state === 'done') return <p className="mb-3">All of the list is stored.</p>;
  return (
    <div className="mb-3">
      <Meter
        label="Progress"
        value={Math.min(1, read / bytes)}
        words={`${kib(read)} of ${kib(bytes)} KiB read`}
      />
    </div>
  );
}

const kib = (bytes: number) => count(Math.ceil(bytes / 1_024));
