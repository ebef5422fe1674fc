import { Section } from '../../kit/card.tsx';
import { count, counted } from '../../kit/words.ts';
import { inProgress, useLiveCalls, useMostCalls } from '../../shell/live-calls.ts';
import { PageLink } from '../../shell/page-link.tsx';
import { CallStrip } from '../live/strip.tsx';

/** The calls in progress in words and as a strip. */
export function OnTheLine() {
  const live = useLiveCalls();
  const most = useMostCalls();
  if (!live.data) return null;
  const all = inProgress(live.data);
  return (
    <Section
      id="line"
      title={all === 0 ? 'No call in progress' : `${counted(all, 'call')} in progress`}
      note={most !== null && all <= most && `of at most ${count(most)}`}
      acts={
        <PageLink to="/live" className="link text-sm text-quiet max-sm:hidden">
          Live calls
        </PageLink>
      }
    >
      <CallStrip live={live.data} />
    </Section>
  );
}
