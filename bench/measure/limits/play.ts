import type { Random } from '../../../src/base/clock.ts';
import { createRandom } from '../worlds/draw.ts';
import type { Service } from './limiters.ts';

/** One system against one service in virtual time: an endless backlog, a 150 ms round trip, no real waiting. */
export type System = {
  /** When it sends its next request, at `now` or later; infinity while it waits for answers. */
  nextAt(now: number): number;
  sent(at: number): void;
  answered(answer: Heard): void;
};
export type Heard = { now: number; sentAt: number; ok: boolean; retryAfterMs: number | null };
export type SystemMaker = (random: Random) => System;

export type Played = { used: number; refused: number; accepted: number[] };
export type Play = {
  service: Service;
  system: SystemMaker;
  seed: number;
  minutes: number;
  scale?(at: number): number;
};

const wayMs = 75;

export function play({ service, system, seed, minutes, scale = () => 1 }: Play): Played {
  const random = createRandom(seed);
  const end = minutes * 60_000;
  let clock = 0;
  const admits = service.create(() => scale(clock), random());
  const one = system(random);
  const answers: Heard[] = [];
  const accepted: number[] = [];
  let sent = 0;
  let now = 0;
  let allowed = 0;
  while (now < end) {
    const at = Math.max(now, one.nextAt(now));
    const first = answers[0];
    if (first && first.now <= at) {
      answers.shift();
      now = first.now;
      one.answered(first);
      continue;
    }
    if (!Number.isFinite(at)) throw new Error(`${service.name}: the system never sends again`);
    now = at;
    if (now >= end) break;
    one.sent(now);
    sent += 1;
    clock = now + wayMs;
    const { ok, retryAfterMs, heldMs } = admits(clock);
    if (ok) accepted.push(clock);
    const heard = { now: clock + heldMs + wayMs, sentAt: now, ok, retryAfterMs };
    let place = answers.length;
    while (place > 0 && answers[place - 1]!.now > heard.now) place -= 1;
    answers.splice(place, 0, heard);
  }
  for (let second = 0; second < end; second += 1_000) allowed += service.rate * scale(second);
  return { used: accepted.length / allowed, refused: sent === 0 ? 0 : 1 - accepted.length / sent, accepted };
}

/** Seconds from a change until 90 % of the new limit is used, over 20 s or two windows, for a minute. */
export function settledAfter(played: Played, from: number, rate: number, windowMs: number): number {
  const span = Math.max(20_000, Math.min(120_000, windowMs));
  const within = (a: number, b: number) => played.accepted.filter((at) => at > a && at <= b).length;
  for (let at = from; at < from + 540_000; at += 1_000) {
    if (within(at, at + span) >= 0.9 * rate * (span / 1_000)) return (at - from) / 1_000;
  }
  return Number.POSITIVE_INFINITY;
}
