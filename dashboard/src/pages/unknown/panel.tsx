import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ask, type Problem } from '../../api/ask.ts';
import type { Unknown, UnknownDetail } from '../../api/description.ts';
import { Badge } from '../../kit/badge.tsx';
import { Button } from '../../kit/button.tsx';
import { Card } from '../../kit/card.tsx';
import { Copy } from '../../kit/copy.tsx';
import { Loading, Trouble } from '../../kit/empty.tsx';
import { Phone } from '../../kit/phone.tsx';
import { Ago, Time, useNow } from '../../kit/time.tsx';
import { Tree } from '../../kit/tree.tsx';
import { count, counted } from '../../kit/words.ts';
import { useMay } from '../../shell/me.ts';
import { PageLink } from '../../shell/page-link.tsx';
import { absenceWords, useService } from '../../shell/service.tsx';
import { AtService } from './at-service.tsx';
import { doubtOf } from './doubt.ts';
import { SettleDialog } from './settle.tsx';

/** One unknown attempt: what was sent, what came back, when it may be freed, and what the service says of it. */
type PanelProps = { unknown: Unknown; onClose(): void };

export function UnknownPanel({ unknown, onClose }: PanelProps) {
  const { attempt, phone, name, campaign, recipient, row, reason, why, detail } = unknown;
  // The create never changes, and once it is settled there is nothing to ask for.
  const more = useQuery<UnknownDetail, Problem>({
    queryKey: ['unknown', attempt],
    queryFn: ({ signal }) => ask('GET /api/unknown/{attempt}', { params: { attempt }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const [settling, setSettling] = useState(false);
  const may = useMay('operate');
  return (
    <section aria-label="The attempt" className="min-w-0 xl:sticky xl:top-20">
      <Button kind="quiet" onClick={onClose} className="mb-2 xl:hidden">
        Back to the list
      </Button>
      <Card className="space-y-4 xl:max-h-[calc(100dvh-7rem)] xl:overflow-y-auto">
        <div className="flex flex-wrap items-start justify-between gap-2">
          <div className="min-w-0">
            <h2 className="flex flex-wrap items-center gap-x-2 text-lg font-semibold">
              <PageLink to={`/people/${encodeURIComponent(phone ?? recipient)}`}>
                <Phone phone={phone} />
              </PageLink>
              {name}
            </h2>
            <p className="text-quiet">
              row {count(row)} of{' '}
              <PageLink to={`/campaigns/${encodeURIComponent(campaign)}`}>{campaign}</PageLink>, attempt{' '}
              {count(unknown.number)}, on the key{' '}
              <PageLink to={`/keys/${encodeURIComponent(unknown.key)}`}>{unknown.key}</PageLink>
            </p>
          </div>
          {may && (
            <Button kind="main" onClick={() => setSettling(true)}>
              Settle
            </Button>
          )}
        </div>
        <Part title="Why it is unknown">
          <p className="flex flex-wrap items-center gap-2">
            <Badge state="unknown" label={reason} /> dialled <Ago at={unknown.dialing_at} />
          </p>
          <p className="mt-1">{why}</p>
        </Part>
        <Part title="What came back">
          <p className="[overflow-wrap:anywhere]">
            {detail ??
              (phone === null ? 'Hidden: this token may not see people.' : 'Nothing that could be read.')}
          </p>
          {unknown.call_id && (
            <p className="mt-1">
              The call <code className="font-mono text-sm">{unknown.call_id}</code>{' '}
              <Copy text={unknown.call_id} />
              {unknown.status && `, last status ${unknown.status}`}
            </p>
          )}
        </Part>
        <Looked unknown={unknown} />
        <Freed unknown={unknown} />
        {more.error && <Trouble problem={more.error} retry={() => void more.refetch()} />}
        {!more.data && !more.error && <Loading lines={5} />}
        {more.data && <Sent detail={more.data} />}
        {may && <AtService attempt={attempt} callId={unknown.call_id} />}
      </Card>
      {settling && <SettleDialog of={{ attempts: [doubtOf(unknown)] }} onClose={() => setSettling(false)} />}
    </section>
  );
}

export function Part({ title, children }: { title: string; children: React.ReactNode }) {
  return (
    <div>
      <h3 className="mb-1 text-xs font-medium text-quiet">{title}</h3>
      {children}
    </div>
  );
}

/** The service's own list of calls, as it was asked for this one. */
function Looked({ unknown: { asked, call_id: callId } }: { unknown: Unknown }) {
  const service = useService();
  // Of a call that is known, its record is asked for instead.
  if (!service.data || (callId !== null && asked === null)) return null;
  const absence = absenceWords(service.data);
  return (
    <Part title="What the service was asked">
      {asked === null ? (
        <p>
          {service.data.can.find
            ? 'Its list of calls has not been asked for this one yet.'
            : 'It lists no calls, so it cannot be asked for this one.'}
        </p>
      ) : (
        <>
          <p>
            Its list of calls was asked {asked.times === 1 ? 'once' : `${count(asked.times)} times`}
            {asked.last && (
              <>
                , last <Time at={asked.last} roughly />
              </>
            )}
            , {asked.calls.length === 0 ? 'found nothing' : `found ${counted(asked.calls.length, 'call')}`}
            {asked.calls.length === 0 && `; ${absence}`}.
          </p>
          {asked.calls.length > 0 && asked.why && <p>It does not settle this: {asked.why}.</p>}
          <ul>
            {asked.calls.map((id) => (
              <li key={id} className="flex items-center gap-1">
                <code className="min-w-0 truncate font-mono text-sm">{id}</code> <Copy text={id} />
              </li>
            ))}
          </ul>
          <p className="text-sm text-quiet">
            {asked.next ? (
              <>
                It is asked again at <Time at={asked.next} roughly />.
              </>
            ) : (
              'It is not asked again.'
            )}
          </p>
        </>
      )}
    </Part>
  );
}

function Freed({ unknown }: { unknown: Unknown }) {
  const { not_called_from: from, phone_held_until: held, redial } = unknown;
  const now = useNow();
  return (
    <Part title="When it may be freed">
      {from === null ? (
        <p>The service took this call: it can be settled as called only.</p>
      ) : Date.parse(from) <= now ? (
        <p>Now: its request can no longer be on its way.</p>
      ) : (
        <p>
          As not called from <Time at={from} /> (<Ago at={from} />
          ): until then its request may still be on its way.
        </p>
      )}
      <p className="text-sm text-quiet">
        {Date.parse(held) > now ? (
          <>
            Nobody else calls this phone until <Time at={held} />, unless it is settled before.
          </>
        ) : (
          'Other campaigns may call this phone again.'
        )}
        {redial && ' The campaign’s rule will call this person once more.'}
      </p>
    </Part>
  );
}

function Sent({ detail: { sent } }: { detail: UnknownDetail }) {
  return (
    <Part title="What was sent">
      <p className="font-mono text-sm [overflow-wrap:anywhere]">
        {sent.method} {sent.url}
      </p>
      <p className="mb-1 text-sm text-quiet">
        {counted(sent.requests, 'request')}
        {sent.by && ` by ${sent.by}`}; an answer could come until <Time at={sent.answer_by} />
      </p>
      {sent.body ? (
        <div className="rounded-md bg-sunken px-3 py-2">
          <Tree value={sent.body} />
        </div>
      ) : (
        <p className="text-quiet">Hidden: this token may not see people.</p>
      )}
    </Part>
  );
}
