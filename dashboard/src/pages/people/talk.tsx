import { useEffect, useRef, useState } from 'react';
import { type AttemptCourse, Problem, problemOf, unreachable } from '../../api/ask.ts';
import { Mark } from '../../kit/basics.tsx';
import { usePageKeys } from '../../kit/keys.ts';
import { Trouble } from '../../kit/page.tsx';
import { Matched } from '../../kit/values.tsx';
import { classes, clockText } from '../../kit/words.ts';
import { type Spoken, spokenOf, type Turn, turnsOf } from './turns.ts';

/** The conversation: the recording in step with the transcript, as far as the service tells when each line was said. */
export function Talk({ attempt, mark }: { attempt: AttemptCourse; mark?: string | undefined }) {
  const { transcript, recording_url: recording, duration, outcome } = attempt;
  const [other, name] = outcome === 'voicemail' ? ['voicemail', 'Voicemail'] : ['person', attempt.name];
  const sound = useSound(attempt.id);
  const turns = transcript ? turnsOf(transcript) : null;
  const spoken = turns && spokenOf(turns, sound.seconds ?? duration);
  const isHeard = recording !== null;
  const seconds = sound.seconds ?? duration ?? spoken?.at(-1)?.to ?? 0;
  const place = `${clockText(sound.at)} of ${clockText(seconds)}`;
  const by = (step: number) => sound.seek(Math.min(seconds, Math.max(0, sound.at + step)));
  usePageKeys(isHeard ? { ' ': sound.toggle, ArrowLeft: () => by(-5), ArrowRight: () => by(5) } : {});
  const current = sound.at > 0 ? spoken?.findLast(({ at }) => at <= sound.at) : undefined;
  return (
    <div className="space-y-3">
      {isHeard && (
        <fieldset
          className="sticky top-14 z-10 flex items-center gap-3.5 bg-card py-2"
          aria-label="Recording"
        >
          <button
            type="button"
            onClick={sound.toggle}
            disabled={sound.isLoading}
            aria-label={sound.isPlaying ? 'Pause' : 'Play'}
            className="flex size-9 shrink-0 items-center justify-center rounded-full bg-text text-card disabled:opacity-60"
          >
            <Mark shape={sound.isPlaying ? 'pause' : 'play'} />
          </button>
          {spoken && (
            <span aria-hidden="true" className="grid gap-1 text-xs leading-none text-quiet">
              <span>agent</span>
              <span>{other}</span>
            </span>
          )}
          <div className="relative h-9 min-w-0 flex-1 rounded-md focus-within:outline-2 focus-within:outline-offset-2 focus-within:outline-accent">
            <Lanes spoken={spoken} seconds={seconds} at={sound.at} />
            <input
              type="range"
              min={0}
              max={Math.max(1, Math.ceil(seconds))}
              step={5}
              value={sound.at}
              onChange={(event) => sound.seek(Number(event.currentTarget.value))}
              aria-label="Place in the recording"
              aria-valuetext={place}
              className="absolute inset-0 h-full w-full cursor-pointer opacity-0"
            />
          </div>
          <span className="text-sm whitespace-nowrap text-quiet tabular-nums">{place}</span>
          <span className="flex overflow-hidden rounded-md border border-line max-md:hidden">
            {[1, 1.5, 2].map((speed) => (
              <button
                key={speed}
                type="button"
                aria-pressed={sound.speed === speed}
                onClick={() => sound.setSpeed(speed)}
                className={classes(
                  'px-2 py-1 text-xs',
                  sound.speed === speed ? 'bg-quiet-soft font-medium' : 'text-quiet',
                )}
              >
                {speed}×
              </button>
            ))}
          </span>
        </fieldset>
      )}
      {sound.problem && <Trouble problem={sound.problem} retry={sound.toggle} />}
      {(!isHeard || !transcript) && (
        <p className="text-sm text-quiet">
          The service has told of no {isHeard ? 'transcript' : 'recording'}; it may come minutes after the
          call.
        </p>
      )}
      {transcript && !turns && (
        <p className="max-w-prose whitespace-pre-wrap">
          <Matched text={transcript} typed={mark} />
        </p>
      )}
      {turns && (
        <ol aria-label="Transcript" className="-mx-2.5 max-w-3xl">
          {turns.map((turn, nth) => (
            <Line
              // biome-ignore lint/suspicious/noArrayIndexKey: turns never move.
              key={nth}
              turn={turn}
              name={name}
              mark={mark}
              isNow={current !== undefined && spoken?.[nth] === current}
              onSeek={isHeard && turn.at !== null ? () => sound.seek(turn.at!, true) : undefined}
            />
          ))}
        </ol>
      )}
      {isHeard && (
        <p className="text-xs text-quiet max-md:hidden">
          <kbd className="key">Space</kbd> play or pause <kbd className="key ml-3">←</kbd>{' '}
          <kbd className="key">→</kbd> 5 s back or on
        </p>
      )}
    </div>
  );
}

/** The agent's lane above the person's: what was heard in blue, the rest pale. Without times there is one plain lane. */
function Lanes({ spoken, seconds, at }: { spoken: readonly Spoken[] | null; seconds: number; at: number }) {
  const part = (second: number) => `${seconds > 0 ? Math.min(100, (100 * second) / seconds) : 0}%`;
  const spans = spoken ?? [{ at: 0, to: seconds, agent: true }];
  return (
    <span aria-hidden="true" className="absolute inset-0">
      <i className="absolute inset-x-0 top-1/2 h-px bg-line" />
      {spans.map((span) => (
        <i
          key={span.at}
          className={classes(
            'absolute h-[11px] border-r-2 border-card bg-ink-3',
            !spoken ? 'top-[13px]' : span.agent ? 'top-1' : 'top-[21px]',
          )}
          style={{ left: part(span.at), width: part(span.to - span.at) }}
        >
          <i
            className="block h-full max-w-full bg-live-fill"
            style={{ width: `${Math.max(0, (100 * (at - span.at)) / (span.to - span.at))}%` }}
          />
        </i>
      ))}
      {at > 0 && <i className="absolute inset-y-0 w-0.5 bg-text" style={{ left: part(at) }} />}
    </span>
  );
}

type LineProps = {
  turn: Turn;
  name: string | null;
  mark: string | undefined;
  isNow: boolean;
  onSeek: (() => void) | undefined;
};

function Line({ turn: { who, text, agent, at }, name, mark, isNow, onSeek }: LineProps) {
  const time = at === null ? null : clockText(at);
  return (
    <li
      aria-current={isNow ? 'true' : undefined}
      className={classes(
        'grid gap-2.5 rounded-md px-2.5 py-1',
        at === null
          ? 'grid-cols-[5rem_minmax(0,1fr)]'
          : 'grid-cols-[2.5rem_5rem_minmax(0,1fr)] max-sm:grid-cols-[2.25rem_4rem_minmax(0,1fr)]',
        isNow && 'bg-busy-soft',
      )}
    >
      {time !== null && (
        <button
          type="button"
          disabled={!onSeek}
          onClick={onSeek}
          className="self-start pt-0.5 text-left text-xs text-quiet enabled:hover:underline"
        >
          {time}
        </button>
      )}
      <span className="truncate pt-0.5 text-xs text-quiet">{agent ? who : (name?.split(' ')[0] ?? who)}</span>
      <span>
        <Matched text={text} typed={mark} />
      </span>
    </li>
  );
}

/** The recording of a call: read whole when it is first played, so that one can go to any place in it. */
const events = ['timeupdate', 'play', 'pause', 'ended', 'loadedmetadata', 'seeked', 'ratechange'];

function useSound(attempt: string) {
  const [audio] = useState(() => new Audio());
  /** The length is null until it is read. */
  const now = () => ({
    isPlaying: !audio.paused,
    at: audio.currentTime,
    seconds: Number.isFinite(audio.duration) ? audio.duration : null,
    speed: audio.playbackRate,
  });
  const [shown, setShown] = useState(now);
  const [isLoading, setIsLoading] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const address = useRef<string | null>(null);
  /** While it is read: who presses twice waits for the same. */
  const loading = useRef<Promise<void> | null>(null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: it looks at the one sound.
  useEffect(() => {
    const look = () => setShown(now);
    for (const event of events) audio.addEventListener(event, look);
    return () => {
      for (const event of events) audio.removeEventListener(event, look);
      audio.pause();
      if (address.current) URL.revokeObjectURL(address.current);
    };
  }, [audio]);

  const load = async () => {
    const response = await fetch(`/api/attempts/${attempt}/recording`).catch(() => {
      throw unreachable();
    });
    if (!response.ok) throw await problemOf(response);
    address.current = URL.createObjectURL(await response.blob());
    audio.src = address.current;
    audio.playbackRate = audio.defaultPlaybackRate;
  };
  const play = async (from?: number) => {
    setIsLoading(true);
    setProblem(null);
    try {
      loading.current ??= address.current ? null : load();
      await loading.current;
      if (from !== undefined) audio.currentTime = from;
      await audio.play();
    } catch (error) {
      const told = { detail: 'This browser cannot play the recording.', remedy: 'Open it where it is kept.' };
      setProblem(error instanceof Problem ? error : new Problem(told, 0, null));
    }
    loading.current = null;
    setIsLoading(false);
  };
  return {
    ...shown,
    isLoading,
    problem,
    toggle: () => (audio.paused ? void play() : audio.pause()),
    /** Goes to a second; `plays` also plays from there. */
    seek(to: number, plays = false) {
      if (plays) void play(to);
      else if (address.current) audio.currentTime = to;
    },
    setSpeed(wanted: number) {
      audio.defaultPlaybackRate = wanted;
      audio.playbackRate = wanted;
    },
  };
}
