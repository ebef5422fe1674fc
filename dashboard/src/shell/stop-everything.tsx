import { type ReactNode, useContext, useState } from 'react';
import type { EverythingPaused, ToStop } from '../api/description.ts';
import { useAct } from '../data/queries.ts';
import { useLive } from '../data/use-live.ts';
import { Button } from '../kit/button.tsx';
import { Confirm, Dialog } from '../kit/dialog.tsx';
import { HangUpTold } from '../kit/hang-up.tsx';
import { Sign } from '../kit/icon.tsx';
import { PageBar } from '../kit/page.tsx';
import { classes, count, counted } from '../kit/words.ts';
import { inProgress, useLiveCalls } from './live-calls.ts';

/** The stop button of every page: one click and one confirmation, which names how much it stops. */
export function StopButton() {
  const { open } = useContext(PageBar);
  return (
    <Button onClick={() => open('stop')}>
      <span className="text-bad-fill">
        <Sign grid={12} size={10} d="M1 1h10v10H1Z" />
      </span>
      <span>
        Stop<span className="max-sm:sr-only"> everything</span>
      </span>
    </Button>
  );
}

export function StopDialog({ onClose }: { onClose(): void }) {
  const toStop = useLive('GET /api/pause', {}, { everyMs: 2_000, on: ['campaign.'] });
  const live = useLiveCalls();
  const calling = live.data ? inProgress(live.data) : (toStop.data?.calling ?? 0);
  const { talking = 0, ringing = 0, dialing = 0 } = live.data?.counts ?? {};
  const cut = `${count(talking)} talking, ${count(ringing + dialing)} ringing: people who talk are cut off.`;
  const [hangUp, setHangUp] = useState(false);
  const [told, setTold] = useState<EverythingPaused | null>(null);
  const stop = useAct('POST /api/pause', { onDone: setTold });
  const act = () => stop.run({ body: { hang_up: hangUp } });

  if (told) return <Stopped told={told} onClose={onClose} />;
  return (
    <Confirm
      onClose={onClose}
      title="Stop everything?"
      act={
        <>
          Stop everything{hangUp && calling > 0 && ` and hang up ${counted(calling, 'call')}`}{' '}
          {calling > 0 && <kbd className="key-in-button max-sm:hidden">Enter</kbd>}
        </>
      }
      keep="Keep calling"
      danger
      of={{ isPending: stop.isPending }}
      onAct={act}
    >
      <p>
        {toStop.data
          ? whatStops(toStop.data)
          : 'Every running campaign will be paused: nobody new is called.'}
      </p>
      <p className="mt-1 text-quiet">To go on: “Resume all” on the overview, or each campaign alone.</p>
      {calling === 0 ? (
        <p className="mt-3">No call is in progress.</p>
      ) : (
        // The choice has the focus, and Enter takes it: nobody is called by it.
        <fieldset
          className="mt-4 space-y-2"
          disabled={stop.isPending}
          onKeyDown={({ key }) => key === 'Enter' && act()}
        >
          <legend className="sr-only">The calls in progress</legend>
          <Choice on={!hangUp} choose={() => setHangUp(false)} note="They are followed to their end.">
            Let {counted(calling, 'call')} end by {calling === 1 ? 'itself' : 'themselves'}
          </Choice>
          <Choice on={hangUp} choose={() => setHangUp(true)} note={cut}>
            Hang up {counted(calling, 'call')}
          </Choice>
        </fieldset>
      )}
    </Confirm>
  );
}

type ChoiceProps = { on: boolean; choose(): void; note: string; children: ReactNode };

const Choice = ({ on, choose, note, children }: ChoiceProps) => (
  <label
    className={classes(
      'flex gap-3 rounded-md border px-3 py-2.5 has-focus-visible:outline-2 has-focus-visible:outline-live-fill',
      on ? 'border-accent/55 bg-accent-soft' : 'border-line',
    )}
  >
    <input
      type="radio"
      name="calls"
      checked={on}
      onChange={choose}
      className="mt-1 self-start outline-none"
    />
    <span>
      <span className="font-medium">{children}</span>
      <span className="block text-sm text-quiet">{note}</span>
    </span>
  </label>
);

function whatStops({ campaigns, people }: ToStop): string {
  const rest = people === 0 ? 'nobody new is called' : `${counted(people, 'person', 'people')} will wait`;
  const single = people === 0 ? '' : ` Single calls wait too: ${counted(people, 'person', 'people')}.`;
  return campaigns === 0
    ? `No campaign is running.${single}`
    : `${counted(campaigns, 'campaign')} will be paused: ${rest}.`;
}

function Stopped({ told, onClose }: { told: EverythingPaused; onClose(): void }) {
  const { items, seconds, calling, hang_ups: hungUp } = told;
  const campaigns = items.filter(({ kind }) => kind === 'list').length;
  const digits = { minimumFractionDigits: 1 };
  const time =
    seconds < 0.1 ? `less than ${(0.1).toLocaleString()}` : seconds.toLocaleString(undefined, digits);
  return (
    <Dialog
      onClose={onClose}
      title={items.length === 0 ? 'No campaign was running' : `Everything stopped in ${time} s`}
    >
      <p role="status">
        {campaigns > 0 && `${counted(campaigns, 'campaign is', 'campaigns are')} paused. `}
        {items.length > campaigns && 'Single calls wait until they are resumed. '}
        {calling === 0
          ? 'No call is in progress.'
          : `${counted(calling, 'call is', 'calls are')} still in progress.`}
      </p>
      {hungUp && hungUp.calls > 0 && <HangUpTold told={hungUp} />}
    </Dialog>
  );
}
