import { alertTitles } from '../../api/alert-titles.ts';
import { useAsk } from '../../data/queries.ts';
import { useLive } from '../../data/use-live.ts';
import { Badge } from '../../kit/badge.tsx';
import { Section } from '../../kit/card.tsx';
import { Ago, Since } from '../../kit/time.tsx';

const on = ['alert.'];

/** Every kind of alert: which are raised now, and when each was raised last, as far as the activity tells. */
export function WhatIsWatched() {
  const raised = useLive('GET /api/alerts', {}, { everyMs: 30_000, on }).data?.items ?? [];
  const query = { verb: 'alert.raise', limit: 200 };
  const past = useAsk('GET /api/activity', { query }, { on }).data?.items ?? [];
  const kinds = Object.entries(alertTitles).map(([code, title]) => ({
    title,
    now: raised.find((alert) => alert.code === code),
    last: past.find(({ after }) => after?.code === code)?.at ?? '',
  }));
  kinds.sort((a, b) => Number(!a.now) - Number(!b.now) || b.last.localeCompare(a.last));
  return (
    <Section id="watched" title="What is watched" note="all the time, whoever is told">
      <ul className="grid gap-x-10 lg:grid-cols-2">
        {kinds.map(({ title, now, last }) => (
          <li key={title} className="flex items-baseline justify-between gap-4 border-b border-line py-1.5">
            {now ? <b className="font-semibold">{title}</b> : title}
            <span className="shrink-0 text-sm text-quiet">
              {now ? (
                <>
                  <Badge state={now.severity} label="now" />, <Since at={now.since} />
                </>
              ) : last ? (
                <>
                  last <Ago at={last} />
                </>
              ) : (
                <Badge state="done" label="none" />
              )}
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
