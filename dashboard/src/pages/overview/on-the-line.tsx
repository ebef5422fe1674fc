import { CallStrip } from '../../kit/call-strip.tsx';
import { Section } from '../../kit/card.tsx';
import { lastsText, useSecond } from '../../kit/time.tsx';
import { count, counted } from '../../kit/words.ts';
import { inProgress, useLiveCalls, useMostCalls } from '../../shell/live-calls.ts';
import { PageLink } from '../../shell/page-link.tsx';

export const useOnTheLine = () => useLiveCalls();

/** The calls in progress as a strip, and in words. */
export function OnTheLine() {
  const live = useOnTheLine();
  const most = useMostCalls();
  const now = useSecond();
  if (!live.data) return null;
  const { items } = live.data;
  const all = inProgress(live.data);
  const longest = items[0] ? `the longest ${lastsText(items[0].dialed_at, now)}` : '';
  const words = [
    ...(most !== null && all <= most ? [`of at most ${count(most)}`] : []),
    ...(longest ? [longest] : []),
  ];
  return (
    <Section
      id="line"
      title={all === 0 ? 'No call in progress' : `${counted(all, 'call')} in progress`}
      note={words.join('; ')}
      acts={
        <PageLink to="/live" className="text-sm text-quiet hover:underline">
          Live calls
        </PageLink>
      }
      bare
    >
      <CallStrip calls={live.data} most={most} />
    </Section>
  );
}
