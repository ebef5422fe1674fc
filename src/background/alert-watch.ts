import { statfs } from 'node:fs/promises';
import { maskPhone } from '../base/log.ts';
import type { Rounds } from '../base/stuck-loops.ts';
import { type ForecastDeps, forecastCampaign } from '../control/campaigns/forecast.ts';
import { campaignsStill } from '../control/campaigns/standstill.ts';
import { differenceLine } from '../control/processes/dialers.ts';
import type { DialPermit } from '../dispatch/trust/dial-permit.ts';
import type { Lane } from '../lane/lane.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { sumsOf } from '../ledger/tallies/counts.ts';
import { type AlertKind, alertKinds } from '../rules/alert-kinds.ts';
import { findAlerts, type Watched } from '../rules/alerts.ts';

/** Looks at the ledger and at this process, and lets the ledger raise and clear the alerts that follow. */
export type WatchDeps = {
  ledger: Ledger;
  rounds: Pick<Rounds, 'ages' | 'asides'>;
  permit: Pick<DialPermit, 'aheadMs' | 'trouble'>;
  endings: Endings;
  /** The keys of this process: other keys may come from an old setting. */
  lanes: readonly Pick<Lane, 'name'>[];
  home: string;
  machine: string;
  process: string;
};

export function createWatch(deps: WatchDeps): () => Promise<void> {
  const { alerts } = deps.ledger;
  return async () => {
    const raised = new Set((await alerts.list()).map(({ code, subject }) => `${code} ${subject}`));
    const sights = findAlerts(await look(deps), (code, subject) => raised.has(`${code} ${subject}`));
    await alerts.watch(
      sights.map((sight) => {
        const kind: AlertKind = alertKinds[sight.code];
        const { severity, title, remedy, afterSeconds: after = 0, unseenSeconds: unseen = 45 } = kind;
        // A caller number is ours; any other phone is a person's, and the activity keeps what an alert said.
        const message = sight.code === 'number-resting' ? sight.message : maskPhone(sight.message);
        return { remedy, ...sight, message, severity, title, after, unseen };
      }),
    );
  };
}

type Endings = () => Promise<Watched['ending'][number][]>;
const soonMs = 2 * 86_400_000;
/** Of more campaigns than these nobody is told that they end too early. */
const mostEndings = 20;

/** Looks at the running campaigns that end soon. Each takes a forecast, so what was found stands for a while. */
export function createEndings(deps: ForecastDeps, everyMs = 20_000): Endings {
  let found: Awaited<ReturnType<Endings>> = [];
  let nextAt = 0;
  return async () => {
    const now = deps.clock.now();
    if (now < nextAt) return found;
    nextAt = now + everyMs;
    const lines = await deps.ledger.campaigns.page(null, 200, ['running'], null, ['list']);
    const soon = lines.flatMap(({ id, name, baseUrl, times, ...line }) => {
      const end = times?.endAt;
      const left = sumsOf(line).counts.waiting;
      const ends = end !== undefined && Date.parse(end) > now && Date.parse(end) < now + soonMs;
      return ends && left > 0 && baseUrl === deps.ledger.baseUrl ? [{ id, name, endAt: end, left }] : [];
    });
    found = await Promise.all(
      soon.slice(0, mostEndings).map(async (each) => {
        const { uncalled } = await forecastCampaign(deps, each.id);
        return { ...each, uncalled: uncalled ?? 0 };
      }),
    );
    return found;
  };
}

/** The part of a budget from which on a person is told. */
const nearlySpent = 0.8;

async function look({ ledger, rounds, permit, lanes, endings, home, ...names }: WatchDeps): Promise<Watched> {
  // The other alerts do not wait for one whose figures cannot be added.
  const part = <T>(name: string, read: () => Promise<T[]>) =>
    rounds.asides.guard('watcher', name, read).then((found) => found ?? []);
  const [rows, facts, budgets, differing, numbers, still, ending, disk] = await Promise.all([
    part('keys', ledger.lanes.list),
    ledger.alerts.facts(),
    part('budgets', () => ledger.budgets.near(nearlySpent)),
    part('processes', ledger.processes.differing),
    part('numbers', ledger.callerNumbers.resting),
    part('campaigns', () => campaignsStill(ledger)),
    part('forecasts', endings),
    diskOf(home),
  ]);
  const trouble = permit.trouble();
  return {
    ...names,
    keys: rows.filter((row) => lanes.some(({ name }) => name === row.name)),
    ...facts,
    numbers,
    still,
    ending,
    budgets,
    webhooks: facts.webhooks.map(({ url, ...each }) => ({
      ...each,
      host: URL.canParse(url) ? new URL(url).host : each.id,
    })),
    differing: differing.map((each) => ({
      process: each.process,
      isKey: each.key !== null,
      message: differenceLine(each),
    })),
    loops: rounds.ages(),
    asides: rounds.asides.list(),
    clockAheadMs: permit.aheadMs(),
    historyLost: trouble?.code === 'ledger-unconfirmed' ? `${trouble.message}.` : null,
    policyDiffers: trouble?.code === 'policy-differs' ? trouble.message : null,
    disk,
  };
}

/** Null without a folder: this process then cannot fill its disk. */
async function diskOf(path: string): Promise<Watched['disk']> {
  const disk = await statfs(path).catch(() => null);
  return disk && { path, free: disk.bavail * disk.bsize, size: disk.blocks * disk.bsize };
}
