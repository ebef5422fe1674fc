import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ask, type Problem } from '../../api/ask.ts';
import type { Unknown, UnknownDetail } from '../../api/description.ts';
import { Mark } from '../../kit/badge.tsx';
import { Copy } from '../../kit/copy.tsx';
import { Loading, Trouble } from '../../kit/empty.tsx';
import { Fact, Facts } from '../../kit/facts.tsx';
import { Caller, Phone } from '../../kit/phone.tsx';
import { SidePanel } from '../../kit/side-panel.tsx';
import { Time } from '../../kit/time.tsx';
import { Tree } from '../../kit/tree.tsx';
import { count, counted } from '../../kit/words.ts';
import { personAddress } from '../../shell/find.ts';
import { useMay } from '../../shell/me.ts';
import { PageLink } from '../../shell/page-link.tsx';
import { Asked } from './asked.tsx';
import { AtService } from './at-service.tsx';
import { Verdict } from './verdict.tsx';

/** One unknown attempt: whether the person was called, and below it what was asked, found and sent. */
export function UnknownPanel({ unknown }: { unknown: Unknown }) {
  const { attempt, phone, name, campaign, recipient, reason, why } = unknown;
  // The create never changes, and once it is settled there is nothing to ask for.
  const more = useQuery<UnknownDetail, Problem>({
    queryKey: ['unknown', attempt],
    queryFn: ({ signal }) => ask('GET /api/unknown/{attempt}', { params: { attempt }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const listed = unknown.asked?.calls ?? [];
  const [foundCall, setFoundCall] = useState(listed.length === 1 ? listed[0]! : null);
  const may = useMay('operate');
  return (
    <SidePanel label="The attempt">
      <div className="min-h-0 flex-1 space-y-4 xl:min-h-72 xl:overflow-y-auto xl:pb-4">
        <div>
          <h2 className="flex flex-wrap items-baseline gap-x-3 text-xl font-semibold tracking-[-0.01em]">
            <PageLink to={personAddress({ phone, id: recipient })} className="hover:underline">
              {name ?? <Phone phone={phone} />}
            </PageLink>
            {name && (
              <span className="text-sm font-normal text-quiet">
                <Phone phone={phone} />
              </span>
            )}
          </h2>
          <p className="text-sm text-quiet">
            <PageLink to={`/campaigns/${encodeURIComponent(campaign)}`}>{campaign}</PageLink>
            {unknown.number > 1 && `, attempt ${count(unknown.number)}`}, on the key{' '}
            <PageLink to={`/keys/${encodeURIComponent(unknown.key)}`}>{unknown.key}</PageLink>
          </p>
        </div>
        <div className="flex gap-3 rounded-lg bg-odd-soft px-4 py-3">
          <span className="pt-1 text-odd">
            <Mark shape="query" size={16} />
          </span>
          <div className="min-w-0">
            <p className="text-lg font-semibold">{heads[reason]}.</p>
            <p className="text-sm">{why}</p>
          </div>
        </div>
        {unknown.call_id && (
          <p className="text-sm">
            The call <code className="font-mono text-xs">{unknown.call_id}</code>{' '}
            <Copy text={unknown.call_id} />
            {unknown.status && `, last status ${unknown.status}`}
          </p>
        )}
        <Asked unknown={unknown} detail={more.data} />
        {more.data && <Sent detail={more.data} />}
        {may && <AtService attempt={attempt} callId={unknown.call_id} onFound={setFoundCall} />}
        {more.error && <Trouble problem={more.error} retry={() => void more.refetch()} />}
        {!more.data && !more.error && <Loading lines={2} />}
      </div>
      {may && <Verdict unknown={unknown} foundCall={unknown.call_id ?? foundCall} />}
    </SidePanel>
  );
}

/** The reasons, each in a few words. */
export const heads: Record<Unknown['reason'], string> = {
  lost: 'No answer came to the request',
  accepted: 'It was taken, without its id',
  crashed: 'The process ended while it dialled',
  stale: 'It was placed, and no end was told',
  mismatch: 'Its record is of another call',
  'lost-history': 'The history that knew it is lost',
};

/** The request as it was sent is folded, for one who compares it with the service. */
function Sent({ detail: { phone, from, agent, name, sent } }: { detail: UnknownDetail }) {
  return (
    <details className="text-sm">
      <summary className="w-max text-quiet hover:text-text">
        What was sent, {counted(sent.requests, 'request')}
      </summary>
      <div className="mt-2 grid gap-x-8 gap-y-2 rounded-lg bg-sunken px-4 py-3 sm:grid-cols-2">
        <Facts names="narrow">
          <Fact name="To">
            <Phone phone={phone} />
          </Fact>
          <Fact name="From">
            <Caller phone={from} />
          </Fact>
          <Fact name="Agent">{agent ?? '–'}</Fact>
          <Fact name="Name">{name ?? '–'}</Fact>
        </Facts>
        {sent.body ? (
          <Tree value={sent.body} />
        ) : (
          <p className="text-quiet">Hidden: this token may not see people.</p>
        )}
        <p className="text-xs text-quiet [overflow-wrap:anywhere] sm:col-span-2">
          {sent.method} {sent.url}
          {sent.by && `, by ${sent.by}`}; an answer could come until <Time at={sent.answer_by} seconds />
        </p>
      </div>
    </details>
  );
}
