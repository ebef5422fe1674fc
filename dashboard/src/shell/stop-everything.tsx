import { useState } from 'react';
import type { EverythingPaused, HungUp, ToStop } from '../api/ask.ts';
import { useLive } from '../data/queries.ts';
import { Button } from '../kit/basics.tsx';
import { CheckField, Dialog, FormDialog } from '../kit/form.tsx';
import { silence } from '../kit/store.ts';
import { Time, useTick } from '../kit/values.tsx';
import { count, counted } from '../kit/words.ts';
import { Asked, forgetStop, isAsked, type Stopping, stopEverything, useStopping } from './banners.tsx';
import { inProgress, useLiveCalls } from './reads.ts';

/** A stop takes a second or two; longer where calls are hung up. */
const lateMs = 4_000;

/** One click and one confirmation, which names how much it stops. */
export function StopDialog({ onClose }: { onClose(): void }) {
  const toStop = useLive('GET /api/pause', {}, { everyMs: 2_000, on: ['campaign.'] });
  const live = useLiveCalls();
  const calling = live.data ? inProgress(live.data) : toStop.data?.calling;
  const { talking = 0, ringing = 0, dialing = 0 } = live.data?.counts ?? {};
  const cut = `${count(talking)} talking, ${count(ringing + dialing)} ringing: people who talk are cut off.`;
  const calls = calling === undefined ? 'the calls in progress' : counted(calling, 'call');
  const [hangUp, setHangUp] = useState(false);
  const stopping = useStopping();
  const now = useTick();
  const heardAt = silence.use();
  const close = () => {
    if (!isAsked(stopping)) forgetStop();
    onClose();
  };
  if (stopping?.told) return <Stopped told={stopping.told} onClose={close} />;
  if (isAsked(stopping) && (stopping.problem || now - stopping.since > lateMs))
    return <NotConfirmed of={stopping} onClose={close} />;
  return (
    <FormDialog
      onClose={close}
      title="Stop everything?"
      act={
        <>
          Stop everything{hangUp && calling !== 0 && ` and hang up ${calls}`}{' '}
          {calling !== 0 && <kbd className="key-in-button max-sm:hidden">Enter</kbd>}
        </>
      }
      keep="Keep calling"
      danger
      always
      busy={isAsked(stopping)}
      problem={stopping?.problem ?? null}
      onSend={() => void stopEverything(hangUp)}
    >
      <p>
        {toStop.data
          ? whatStops(toStop.data)
          : 'Every running campaign will be paused: nobody new is called.'}
        {heardAt !== null && (
          <>
            {' '}
            The figures are of <Time at={heardAt} />, when Carillon answered last.
          </>
        )}
      </p>
      <p className="mt-1 text-quiet">To go on: “Resume all” on any page, or each campaign alone.</p>
      {calling === 0 ? (
        <p className="mt-3">No call is in progress.</p>
      ) : (
        // It has the focus, and Enter stops: nobody is called by it.
        <div className="mt-4">
          <CheckField
            label={`Hang up ${calls} too`}
            help={`${live.data ? cut : 'People who talk are cut off.'} Without it, they are followed to their end.`}
            disabled={isAsked(stopping)}
            checked={hangUp}
            onChange={({ target }) => setHangUp(target.checked)}
          />
        </div>
      )}
    </FormDialog>
  );
}

function whatStops({ campaigns, people }: ToStop): string {
  const rest = people === 0 ? 'nobody new is called' : `${counted(people, 'person', 'people')} will wait`;
  const single = people === 0 ? '' : ` Single calls wait too: ${counted(people, 'person', 'people')}.`;
  return campaigns === 0
    ? `No campaign is running.${single}`
    : `${counted(campaigns, 'campaign')} will be paused: ${rest}.`;
}

/** It was asked for, and nobody said that it happened: calls may go on. */
const NotConfirmed = ({ of, onClose }: { of: Stopping; onClose(): void }) => (
  <Dialog
    onClose={onClose}
    title="Stop everything is not confirmed"
    always
    acts={
      <>
        <Button kind="quiet" onClick={forgetStop}>
          Ask no more
        </Button>
        {!of.hangUp && (
          <Button kind="danger" onClick={() => void stopEverything(true)}>
            Hang up all calls too
          </Button>
        )}
        <Button kind="main" onClick={onClose}>
          Keep asking
        </Button>
      </>
    }
  >
    <p className="text-lg font-semibold text-bad first-letter:uppercase">
      <Asked of={of} />.
    </p>
    <p className="mt-1">
      {of.problem?.message} It is asked until it is confirmed; until then, calls may begin and go on. To be
      sure, hang up at the service, and end the processes that dial.
    </p>
  </Dialog>
);

function Stopped({ told, onClose }: { told: EverythingPaused; onClose(): void }) {
  const { items, seconds, calling, hang_ups: hungUp } = told;
  const campaigns = items.filter(({ kind }) => kind === 'list').length;
  const digits = { minimumFractionDigits: 1 };
  const time =
    seconds < 0.1 ? `less than ${(0.1).toLocaleString()}` : seconds.toLocaleString(undefined, digits);
  return (
    <Dialog
      onClose={onClose}
      title={items.length === 0 ? 'No campaign is running' : `Everything stopped in ${time} s`}
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

export function HangUpTold({ told }: { told: HungUp }) {
  const { calls, hung_up: hungUp, ended, refused, waiting, refusals } = told;
  if (calls === 0) return <p>No call was in progress.</p>;
  const parts = [
    [hungUp, 'hung up'],
    [ended, 'had ended'],
    [refused, 'refused by the service'],
    [waiting, 'will be hung up when the service answers'],
  ] as const;
  const words = parts.filter(([n]) => n > 0).map(([n, word]) => `${n} ${word}`);
  return (
    <>
      <p>
        {counted(calls, 'call was', 'calls were')} in progress: {words.join(', ')}.
      </p>
      {refusals.map((each) => (
        <p key={each} className="text-sm text-quiet">
          The service says: {each}
        </p>
      ))}
    </>
  );
}
