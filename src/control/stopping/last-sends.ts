import type { Ledger } from '../../ledger/ledger.ts';

/**
 * An act that stops calls answers only when none can begin any more. After its commit the fence admits nobody; a create
 * that was admitted before is answered soon or not sent, because a dialer sends nothing two seconds after its commit.
 * The ledger knows this of every process.
 */
export type LastSendsDeps = {
  ledger: Ledger;
  clock: { sleep(ms: number): Promise<void>; monotonic(): number };
};

const lookMs = 25;
/** No request leaves later than this after its attempt was opened. */
const mostMs = 2_000;

/** Which campaigns and which phones; null is any. */
type LastSendsScope = { campaigns?: string[] | null; phones?: string[] | null };

export async function awaitLastSends({ ledger, clock }: LastSendsDeps, of: LastSendsScope): Promise<void> {
  const end = clock.monotonic() + mostMs;
  for (;;) {
    const { leaving, withinMs } = await ledger.attempts.leaving(of.campaigns ?? null, of.phones ?? null);
    const leftMs = Math.min(end - clock.monotonic(), withinMs);
    if (leaving === 0 || leftMs <= 0) return;
    await clock.sleep(Math.min(lookMs, leftMs));
  }
}
