import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ask, type Problem } from '../../api/ask.ts';
import type { Unknown, UnknownDetail } from '../../api/description.ts';
import { Section } from '../../kit/card.tsx';
import { Raw } from '../../kit/data.tsx';
import { Loading, Trouble } from '../../kit/empty.tsx';
import { Phone } from '../../kit/phone.tsx';
import { SidePanel } from '../../kit/side-panel.tsx';
import { Time } from '../../kit/time.tsx';
import { count, counted } from '../../kit/words.ts';
import { personAddress } from '../../shell/find.ts';
import { useMay } from '../../shell/me.ts';
import { PageLink } from '../../shell/page-link.tsx';
import { Course } from './course.tsx';
import { Verdict } from './verdict.tsx';

/** One unknown attempt: whether the person was called, and below it what was asked, found and sent. */
export function UnknownPanel({ unknown }: { unknown: Unknown }) {
  const { attempt, phone, name, campaign, recipient } = unknown;
  // The create never changes, and once it is settled there is nothing to ask for.
  const more = useQuery<UnknownDetail, Problem>({
    queryKey: ['unknown', attempt],
    queryFn: ({ signal }) => ask('GET /api/unknown/{attempt}', { params: { attempt }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const listed = unknown.asked?.calls ?? [];
  const [found, setFound] = useState(listed.length === 1 ? listed[0]! : null);
  const foundCall = unknown.call_id ?? found;
  const may = useMay('operate');
  return (
    <SidePanel label="The attempt">
      <h2 className="flex flex-wrap items-baseline gap-x-3 text-xl font-semibold tracking-[-0.01em]">
        <PageLink to={personAddress({ phone, id: recipient })} className="hover:underline">
          {name ?? <Phone phone={phone} />}
        </PageLink>
        <span className="text-sm font-normal tracking-normal text-quiet">
          {name && (
            <span className="mr-3">
              <Phone phone={phone} />
            </span>
          )}
          <PageLink to={`/campaigns/${encodeURIComponent(campaign)}`}>{campaign}</PageLink>
          {unknown.number > 1 && `, attempt ${count(unknown.number)}`}, on the key{' '}
          <PageLink to={`/keys/${encodeURIComponent(unknown.key)}`}>{unknown.key}</PageLink>
        </span>
      </h2>
      {may && <Verdict unknown={unknown} foundCall={foundCall} />}
      <div className="mt-4 min-h-0 flex-1 space-y-4 xl:overflow-y-auto">
        <Course
          unknown={unknown}
          detail={more.data}
          {...(may && { onFound: setFound, isFirst: !foundCall })}
        />
        {more.data && <Sent sent={more.data.sent} />}
        {more.error && <Trouble problem={more.error} retry={() => void more.refetch()} />}
        {!more.data && !more.error && <Loading lines={2} />}
      </div>
    </SidePanel>
  );
}

/** The request as it was sent, for one who compares it with the service. */
const Sent = ({ sent }: { sent: UnknownDetail['sent'] }) => (
  <Section title="What was sent" note={counted(sent.requests, 'request')}>
    {sent.body ? (
      <Raw value={sent.body} />
    ) : (
      <p className="text-quiet">Hidden: this token may not see people.</p>
    )}
    <p className="mt-2 text-xs text-quiet [overflow-wrap:anywhere]">
      {sent.method} {sent.url}
      {sent.by && `, by ${sent.by}`}; an answer could come until <Time at={sent.answer_by} seconds />
    </p>
  </Section>
);
