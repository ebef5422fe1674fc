import { z } from 'zod';
import type { Campaign } from '../../ledger/campaigns/campaigns.ts';
import type { DueWait } from '../../ledger/lanes/lanes.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { FoundLine } from '../../ledger/search/search.ts';
import {
  type CountedWait,
  countWaits,
  createWaits,
  queuedTurn,
  type Wait,
  waitReasons,
  whyNoneIsDialled,
} from '../../rules/wait-reason.ts';

/** Why a campaign's rows wait and until when, counted by reason: read from sums, so that a long list costs no more. */
export const waitsShape = z
  .partialRecord(z.enum(waitReasons), z.object({ n: z.int(), until: z.date().nullable() }))
  .describe(
    'Why rows wait: how many for each reason, and the earliest time at which one of them stops waiting.',
  );
type ShownWaits = z.output<typeof waitsShape>;

export async function waitsOf(
  ledger: Pick<Ledger, 'reports' | 'lanes' | 'calendarOf'>,
  campaign: Omit<Campaign, 'columns' | 'runId' | 'renewing'>,
  { parked, queued }: { parked: number; queued: number },
): Promise<CountedWait[]> {
  const { reports } = ledger;
  const [groups, phones, time, due] = await Promise.all([
    reports.waiting(campaign.id),
    reports.waitingPhones(campaign.id),
    reports.waitingSoonest(campaign.id),
    turnOf(ledger, campaign.id),
  ]);
  const now = time.now.getTime();
  return countWaits(createWaits({ ...campaign, calendar: ledger.calendarOf(campaign.times), ...due }, now), {
    groups,
    phones,
    parked,
    queued: { n: queued, reason: whyNoneIsDialled(campaign) ?? queuedTurn(due.turn) },
    soonest: time.soonest,
    now,
  });
}

/** The campaign was deleted a moment ago. */
const noTurn: DueWait = { turn: 'rate', turnUntil: null };

/** Why the due rows of one campaign wait. */
export async function turnOf({ lanes }: Pick<Ledger, 'lanes'>, campaign: string): Promise<DueWait> {
  return (await lanes.turns([campaign])).get(campaign) ?? noTurn;
}

export function showWaits(waits: readonly CountedWait[]): ShownWaits {
  return Object.fromEntries(waits.map(({ reason, n, until }) => [reason, { n, until }]));
}

/** Why these people wait, and until when. The rule of each campaign is created once. */
export async function waitsOn(
  ledger: Ledger,
  lines: readonly FoundLine[],
  now: number,
): Promise<(line: FoundLine) => Wait | null> {
  const rules = new Map<string, (line: FoundLine) => Wait | null>();
  const waiting = lines.filter(({ state }) => state === 'waiting' || state === 'queued');
  const turns = await ledger.lanes.turns([...new Set(waiting.map(({ campaignId }) => campaignId))]);
  return (line) => {
    const known = rules.get(line.campaignId);
    if (known) return known(line);
    const { campaignState: state, driver, runLives, times } = line;
    const due = turns.get(line.campaignId) ?? noTurn;
    const made = createWaits({ state, driver, runLives, calendar: ledger.calendarOf(times), ...due }, now);
    rules.set(line.campaignId, made);
    return made(line);
  };
}
