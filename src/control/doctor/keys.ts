import { systemClock } from '../../base/clock.ts';
import type { Config } from '../../base/config/config.ts';
import type { ApiKey, MaxCalls } from '../../base/config/keys.ts';
import { accountOf, maxCallsOf, rateOf } from '../../base/config/of-key.ts';
import { quoteWord } from '../../base/terminal-safe.ts';
import type { Bucket, Engine } from '../../engine/engine.ts';
import { createConnections, type Dispatch, type ServiceConnections } from '../../http/connections.ts';
import type { Database } from '../../ledger/database.ts';
import { createLanes, type LaneLine } from '../../ledger/lanes/lanes.ts';
import { accountName, bucketName } from '../../queues/job.ts';
import { createVoiceClient, type VoiceClient } from '../../voice/client.ts';
import type { ServiceDescription } from '../../voice/description.ts';
import { judgeFault } from '../service/access.ts';
import type { Check, Say } from './findings.ts';
import { type LedgerView, withDatabase } from './stores.ts';

/** Asks the service once with each key, within the key's own budget, and compares its clock with ours. */
export type KeyDeps = {
  config: Config;
  described: ServiceDescription;
  ledger: LedgerView | null;
  engine: Engine | null;
};

const mostSkewMs = 60_000;
/** Without an engine there is no bucket to take from. */
const free = { ok: true } as const;

export async function checkKeys(check: Check, deps: KeyDeps): Promise<void> {
  const { config } = deps;
  const lanes = await readLanes(deps);
  const { baseUrl, timeoutMs, route } = config.voice;
  const connections = createConnections(new URL(baseUrl!).origin, timeoutMs, route.proxy);
  const watch = watchDates(connections);
  try {
    await check('proxy', (say) => checkProxy(config, connections, say));
    for (const key of config.voice.keys) {
      const lane = lanes.find((each) => each.name === key.name) ?? null;
      await check(`key ${key.name}`, (say) => checkKey(deps, key, lane, watch.dispatcher, say));
    }
    if (config.voice.accounts.length > 0) await check('accounts', (say) => checkAccounts(config, say));
    await check('clock', (say) => checkClock(watch.skewMs(), say));
  } finally {
    await connections.destroy();
  }
}

function checkAccounts({ voice }: Config, say: Say) {
  const joined = voice.accounts.map((keys) => keys.join(' and ')).join('; ');
  say('ok', `one limit and one budget for ${joined}`);
}

async function checkProxy({ voice }: Config, connections: ServiceConnections, say: Say) {
  const { proxy, why } = voice.route;
  if (!proxy) return say('ok', `none: ${why}`);
  const named = `${proxy.authorization ? proxy.url.replace('//', '//***@') : proxy.url}, from ${why}`;
  try {
    await connections.tryProxy();
  } catch (error) {
    const remedy = `Correct ${why}, or start the proxy.`;
    const around =
      why === 'VOICE_PROXY' ? 'unset VOICE_PROXY' : `add ${new URL(voice.baseUrl!).hostname} to NO_PROXY`;
    return say('fail', `${named}: ${(error as Error).message}`, `${remedy} To go without it, ${around}.`);
  }
  say('ok', `${named}; it answers`);
}

async function checkKey(
  { config, described, engine }: KeyDeps,
  key: ApiKey,
  lane: LaneLine | null,
  dispatcher: Dispatch,
  say: Say,
) {
  const baseUrl = config.voice.baseUrl!;
  const take = async () => (engine ? takeFrom(engine.bucket, config)(key.name) : free);
  const taken = await take();
  if (!taken.ok) {
    const seconds = (taken.restMs / 1_000).toFixed(1);
    return say('warn', `not tried: the key rests for another ${seconds} s`, 'Try again then.');
  }
  const { auth, timeoutMs } = config.voice;
  const client = createVoiceClient({
    baseUrl,
    key: key.secret,
    auth,
    timeoutMs,
    service: described,
    dispatcher,
  });
  const answer = await client.check();
  if (!answer.ok) {
    const { state, detail, remedy } = judgeFault(answer.fault);
    return say(state, detail, remedy);
  }
  if (lane?.state === 'denied') {
    return say(
      'warn',
      'it is accepted again, but still closed',
      `Run \`carillon keys resume ${quoteWord(key.name)}\`.`,
    );
  }
  if (lane?.state === 'out_of_credit') {
    return say(
      'warn',
      `it is accepted, but has no credit: ${lane.reason}`,
      'Buy credit; workers then continue by themselves.',
    );
  }
  const calls = maxCallsOf(config, key.name);
  const kept = calls && calls.inbound > 0 ? await inboundWords(calls, client, take) : '';
  say(
    'ok',
    `accepted in ${Math.round(answer.ms)} ms${answer.value === 0 ? '; the account has no phone numbers' : ''}${kept}`,
  );
}

/** What is kept free for calls that come in, and whether the service tells how many there are. */
async function inboundWords(
  { most, inbound }: MaxCalls,
  client: VoiceClient,
  take: () => Promise<{ ok: boolean }>,
): Promise<string> {
  const kept = `; ${inbound} of ${most} calls at once stay free for those that come in`;
  if (!client.can.liveCalls) return `${kept}, of which the service tells no count`;
  const answer = (await take()).ok ? await client.liveCalls() : null;
  if (!answer?.ok) return `${kept}; how many are in progress was not told now`;
  return `${kept}; ${answer.value} in progress now`;
}

function checkClock(skewMs: number | null, say: Say) {
  if (skewMs === null) return;
  const seconds = Math.round(Math.abs(skewMs) / 1_000);
  if (Math.abs(skewMs) <= mostSkewMs) return say('ok', 'agrees with the service’s');
  say(
    'warn',
    `this machine’s is ${seconds} s ${skewMs > 0 ? 'ahead of' : 'behind'} the service’s`,
    'Synchronise it with NTP.',
  );
}

/** A ledger that is empty or unreachable has no closed keys. */
async function readLanes({ config, ledger }: KeyDeps): Promise<LaneLine[]> {
  const list = (db: Database) => createLanes(db, config.voice.baseUrl!).list();
  return (await withDatabase(ledger, list).catch(() => null)) ?? [];
}

/** Remembers how far our clock was from the Date of the last answer. */
function watchDates(connections: Dispatch): { dispatcher: Dispatch; skewMs(): number | null } {
  let skewMs: number | null = null;
  const dispatcher: Dispatch = {
    dispatch(options, handler) {
      const start = handler.onResponseStart?.bind(handler);
      handler.onResponseStart = (controller, status, headers, message) => {
        const told = Date.parse(String(headers.date ?? ''));
        // The header has whole seconds: the middle of the second is the best guess.
        if (!Number.isNaN(told)) skewMs = Date.now() - told - 500;
        start?.(controller, status, headers, message);
      };
      return connections.dispatch(options, handler);
    },
  };
  return { dispatcher, skewMs: () => skewMs };
}

/**
 * Tokens from the bucket that all processes share, for commands that ask the service and leave nothing in the ledger.
 */
export type Taken = { ok: true } | { ok: false; restMs: number };
/** Takes one of a key's tokens and waits for its time; not ok when the key rests. */
export type TakeToken = (key: string, signal?: AbortSignal) => Promise<Taken>;

/** A token that comes later than this is not taken: the key counts as resting. */
const patienceMs = 2_000;
/** Used only for a key that the bucket has never seen. */
const firstPace = { rate: 1, burst: 1 };

export function takeFrom(bucket: Bucket, config: Config): TakeToken {
  return async (key, signal) => {
    const account = accountOf(config, key);
    const baseUrl = config.voice.baseUrl!;
    const name = account ? accountName(baseUrl, account) : bucketName(baseUrl, key);
    const { delays, waitMs } = await bucket.take(name, 1, patienceMs, tokenPace(config, key));
    if (delays.length === 0) return { ok: false, restMs: waitMs };
    await systemClock.sleep(delays[0]!, signal);
    return { ok: true };
  };
}

export function tokenPace(config: Config, key: string) {
  const rate = rateOf(config, key);
  return rate === 'auto' ? firstPace : { rate, burst: config.voice.burst };
}
