/** The sound of a call, and when each line was said: tones in place of voices, so that a player can be tried. */
export type Moment = { at: number; lasts: number; isAgent: boolean; line: string };

/** Bytes a second: one sample is one byte. */
const rate = 8_000;
const pause = 0.4;

/** When each line was said and how long it took: a longer line takes longer. */
export function momentsOf(transcript: string, seconds: number): Moment[] {
  const lines = transcript.split('\n');
  const weights = lines.map((line) => line.length + 10);
  const whole = weights.reduce((a, b) => a + b, 0);
  let at = 0;
  return lines.map((line, nth) => {
    const room = (seconds * weights[nth]!) / whole;
    const moment = { at, lasts: Math.max(0.2, room - pause), isAgent: line.startsWith('Agent:'), line };
    at += room;
    return moment;
  });
}

/** A line of a transcript with its time, as services write it: `[0:07] Agent: Hello`. */
export function stamped(transcript: string, seconds: number): string {
  return momentsOf(transcript, seconds)
    .map(({ at, line }) => {
      const whole = Math.floor(at);
      return `[${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}] ${line}`;
    })
    .join('\n');
}

/** A WAV file with one channel. */
export function soundOf(transcript: string, seconds: number): Buffer {
  const samples = Buffer.alloc(Math.round(seconds * rate), 128);
  for (const { at, lasts, isAgent } of momentsOf(transcript, seconds)) {
    const first = Math.round(at * rate);
    const last = Math.min(samples.length, first + Math.round(lasts * rate));
    const pitch = isAgent ? 165 : 240;
    for (let i = first; i < last; i++) {
      const t = (i - first) / rate;
      // It swells four times a second, as syllables do.
      const loud = 22 * Math.abs(Math.sin(Math.PI * 4 * t));
      samples[i] = 128 + Math.round(loud * Math.sin(2 * Math.PI * pitch * t));
    }
  }
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + samples.length, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(rate, 24);
  head.writeUInt32LE(rate, 28);
  head.writeUInt16LE(1, 32);
  head.writeUInt16LE(8, 34);
  head.write('data', 36);
  head.writeUInt32LE(samples.length, 40);
  return Buffer.concat([head, samples]);
}
