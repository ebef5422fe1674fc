import type { Clock } from '../base/clock.ts';
import type { LanePace } from './lane-pace.ts';
import type { Pacer, Token, TokenKind } from './pacer.ts';
import type { SecondCap } from './per-second-cap.ts';

/**
 * The last check before a request leaves. Tokens are evenly spaced over all processes on the lane, but a commit comes
 * between a token and its request. So each request waits here for its own token's time, and one that is too late takes
 * another token. This keeps any number of processes from sending a burst that the service would refuse. It also keeps
 * each second of this process within the limit.
 */
export type SendGate = {
  /** Passes a caller that took its token earlier and has worked since then. */
  pass(token: Token, signal?: AbortSignal): Promise<Passage>;
  /** Waits for a token and its time; the signal ends the wait. */
  enter(kind: TokenKind, signal?: AbortSignal): Promise<Passage>;
};

/** Call `onSent` at the moment the request leaves. */
export type Passage = { ok: true; onSent: () => void } | { ok: false; restMs: number };

type SendGateDeps = {
  pacer: Pacer;
  pace(): Pick<LanePace, 'slackMs'>;
  secondCap: SecondCap;
  clock: Clock;
};

export function createSendGate({ pacer, pace, secondCap, clock }: SendGateDeps): SendGate {
  const sendGate: SendGate = {
    async pass(first, signal) {
      let token = first;
      if (token.kind === 'create') pacer.note(clock.monotonic() - token.handedAt);
      for (;;) {
        const earlyMs = token.due - clock.monotonic();
        if (earlyMs > 0) await clock.sleep(earlyMs, signal);
        if (signal?.aborted) return { ok: false, restMs: 0 };
        const restMs = pacer.restsMs();
        if (restMs > 0) return { ok: false, restMs };
        if (clock.monotonic() - token.due <= pace().slackMs) {
          const onSent = await secondCap.pass();
          if (signal?.aborted) return { ok: false, restMs: 0 };
          const lateRestMs = pacer.restsMs();
          return lateRestMs > 0 ? { ok: false, restMs: lateRestMs } : { ok: true, onSent };
        }
        const next = await pacer.take(token.kind, signal);
        if (!next.ok) return next;
        token = next;
      }
    },
    async enter(kind, signal) {
      const grant = await pacer.take(kind, signal);
      return grant.ok ? sendGate.pass(grant, signal) : grant;
    },
  };
  return sendGate;
}
