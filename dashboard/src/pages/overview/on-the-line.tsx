import { CallStrip } from '../../kit/call-strip.tsx';
import { Section } from '../../kit/card.tsx';
import { lastsText, useSecond } from '../../kit/time.tsx';
import { count, counted } from '../../kit/words.ts';
import { useFreeCalls, useLiveCalls } from '../../shell/live-calls.ts';
import { PageLink } from '../../shell/page-link.tsx';

export const useOnTheLine = () => useLiveCalls({}, 5_000);

/** The calls in progress as a strip, and in words. */
export function OnTheLine() {
  const live = useOnTheLine();
  const room = useFreeCalls();
  const now = useSecond();
  if (!live.data) return null;
  const { counts, items } = live.data;
  const all = counts.dialing + counts.ringing + counts.talking;
  const longest = items[0] ? `the longest ${lastsText(items[0].dialed_at, now)}` : '';
  const words = [...(room ? [`of at most ${count(room.most)}`] : []), ...(longest ? [longest] : [])];
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
      <CallStrip calls={live.data} free={room?.free ?? null} />
    </Section>
  );
}
