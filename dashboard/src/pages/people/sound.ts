import { useEffect, useRef, useState } from 'react';
import { Problem, problemOf, unreachable } from '../../api/ask.ts';

/** The recording of a call: read whole when it is first played, so that one can go to any place in it. */
export type Sound = {
  isLoading: boolean;
  isPlaying: boolean;
  problem: Problem | null;
  at: number;
  /** Null until it is read. */
  seconds: number | null;
  speed: number;
  toggle(): void;
  /** Goes to a second; `play` also plays from there. */
  seek(to: number, play?: boolean): void;
  setSpeed(speed: number): void;
};

export function useSound(attempt: string): Sound {
  const [audio] = useState(() => new Audio());
  const [now, setNow] = useState({ isPlaying: false, at: 0, seconds: null as number | null });
  const [isLoading, setIsLoading] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [speed, setSpeed] = useState(1);
  const address = useRef<string | null>(null);

  useEffect(() => {
    const look = () =>
      setNow({
        isPlaying: !audio.paused,
        at: audio.currentTime,
        seconds: Number.isFinite(audio.duration) ? audio.duration : null,
      });
    const events = ['timeupdate', 'play', 'pause', 'ended', 'loadedmetadata', 'seeked'];
    for (const event of events) audio.addEventListener(event, look);
    return () => {
      for (const event of events) audio.removeEventListener(event, look);
      audio.pause();
      if (address.current) URL.revokeObjectURL(address.current);
    };
  }, [audio]);

  const load = async (): Promise<boolean> => {
    if (address.current) return true;
    setIsLoading(true);
    setProblem(null);
    try {
      const response = await fetch(`/api/attempts/${attempt}/recording`).catch(() => {
        throw unreachable();
      });
      if (!response.ok) throw await problemOf(response);
      address.current = URL.createObjectURL(await response.blob());
      audio.src = address.current;
      audio.playbackRate = speed;
      return true;
    } catch (error) {
      setProblem(error instanceof Problem ? error : unreachable());
      return false;
    } finally {
      setIsLoading(false);
    }
  };
  const play = async (from?: number) => {
    if (!(await load())) return;
    if (from !== undefined) audio.currentTime = from;
    await audio
      .play()
      .catch(() =>
        setProblem(
          new Problem(
            { detail: 'This browser cannot play the recording.', remedy: 'Open it where it is kept.' },
            0,
            null,
          ),
        ),
      );
  };
  return {
    ...now,
    isLoading,
    problem,
    speed,
    toggle: () => (audio.paused ? void play() : audio.pause()),
    seek(to, plays = false) {
      if (plays) void play(to);
      else if (address.current) audio.currentTime = to;
    },
    setSpeed(wanted) {
      audio.playbackRate = wanted;
      setSpeed(wanted);
    },
  };
}
