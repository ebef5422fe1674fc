import { useEffect, useRef, useState } from 'react';
import { Problem, problemOf, unreachable } from '../../api/ask.ts';

/** The recording of a call: read whole when it is first played, so that one can go to any place in it. */
export type Sound = ReturnType<typeof useSound>;

const events = ['timeupdate', 'play', 'pause', 'ended', 'loadedmetadata', 'seeked', 'ratechange'];

export function useSound(attempt: string) {
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
