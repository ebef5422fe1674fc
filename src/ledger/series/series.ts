import type { CampaignSample, KeySample } from '../../base/metrics/samples.ts';
import { run } from '../answers.ts';
import type { Database } from '../database.ts';
import type { LaneState } from '../lanes/lanes.ts';

/** The series: what campaigns and lanes did, over time. */
export type CampaignPoint = {
  at: Date;
  begun: number;
  calls: number;
  answered: number;
  voicemail: number;
  noAnswer: number;
  busy: number;
  failed: number;
  canceled: number;
  dropped: number;
  cost: number;
  /** How many calls have a known cost. */
  costed: number;
  creates: number;
  polls: number;
  refused: number;
  lags: number;
  lagSum: number;
  lagMax: number;
};

export type LanePoint = {
  at: Date;
  state: LaneState;
  rate: number;
  /** The believed limit; null until one was met. */
  believed: number | null;
  sure: number;
  /** The believed limit of calls at once, and the most that there were. */
  cap: number | null;
  calls: number;
  probing: boolean;
  creates: number;
  polls: number;
  updates: number;
  numbers: number;
  refusedRate: number;
  refusedCreates: number;
  refusedCalls: number;
};

/** A lane's last minute, what its calls cost in ten and in the last hour, and for how many seconds of it it was closed. */
export type LaneLately = Pick<
  LanePoint,
  'creates' | 'polls' | 'updates' | 'numbers' | 'refusedRate' | 'refusedCreates' | 'refusedCalls'
> & { lane: number; cost: number; costHour: number; closed: number };

/** The limit that a lane was believed to have in one step. */
export type LaneLimit = { at: Date; lane: number; state: LaneState; believed: number | null };

/** `news`: it has changed since the last sample, or has sent requests. */
type LaneSample = Pick<KeySample, 'create' | 'poll' | 'update' | 'numbers'> &
  KeySample['refused'] & {
    lane: number;
    news: boolean;
    believed: number | null;
    sure: number;
    cap: number | null;
    probing: boolean;
    pace: number;
  };

/** The span from `since` to before `until`, and the seconds that each point covers. */
export type TimeRange = { since: Date; until: Date; step: number };

/** How long each step is kept, in seconds; a campaign's hours are kept for ever. */
export const kept = { campaignMinutes: 30 * 86_400, laneTens: 2 * 3_600, laneMinutes: 14 * 86_400 } as const;

const mostForgotten = 5_000;

export function createSeries(db: Database, baseUrl: string) {
  return {
    campaign: (id: string, { since, until, step }: TimeRange): Promise<CampaignPoint[]> =>
      db.query('series/campaign', {
        campaignId: id,
        kept: step % 3_600 === 0 ? 3_600 : 60,
        since,
        until,
        step,
      }) as Promise<CampaignPoint[]>,

    /** When a call of it last began or ended, to the minute, if one did in the last month; and when it was changed. */
    async lastCall(id: string): Promise<{ lastCall: Date | null; changedAt: Date | null }> {
      const [row] = await db.query('series/last_call', { campaignId: id });
      return { lastCall: row?.at ?? null, changedAt: row?.changedAt ?? null };
    },

    /** Of all campaigns together. */
    campaigns: ({ since, until, step }: TimeRange): Promise<CampaignPoint[]> =>
      db.query('series/campaigns', { since, until, step }) as Promise<CampaignPoint[]>,

    lane: (id: number, { since, until, step }: TimeRange): Promise<LanePoint[]> =>
      db.query('series/lane', { laneId: id, kept: step % 60 === 0 ? 60 : 10, since, until, step }) as Promise<
        LanePoint[]
      >,

    lately: (): Promise<LaneLately[]> => db.query('series/lately', { baseUrl }),

    /** The limits of every lane, ordered by time. */
    limits: ({ since, until, step }: TimeRange): Promise<LaneLimit[]> =>
      db.query('series/limits', { since, until, step }) as Promise<LaneLimit[]>,

    /** Adds what a process saw of campaigns, and the ledger does not count. */
    see: (samples: readonly (CampaignSample & { id: string })[]): Promise<void> =>
      run(db, 'series/see', { samples: JSON.stringify(samples) }),

    async sample(samples: readonly LaneSample[]): Promise<void> {
      const rows = samples.map(({ pace, create, poll, update, rate, creates, calls, ...same }) => ({
        ...same,
        rate: pace,
        creates: create,
        polls: poll,
        updates: update,
        refused_rate: rate,
        refused_creates: creates,
        refused_calls: calls,
      }));
      await db.query('series/sample', { rows: JSON.stringify(rows) });
    },

    /** Removes what is older than its retention, some at a time; returns whether more may be left. */
    async forget(): Promise<boolean> {
      const { campaignMinutes, laneTens, laneMinutes } = kept;
      const minutes = await db.query('series/forget', { seconds: campaignMinutes, most: mostForgotten });
      const samples = await db.query('series/forget_lanes', {
        tens: laneTens,
        minutes: laneMinutes,
        most: mostForgotten,
      });
      return Math.max(minutes.length, samples.length) >= mostForgotten;
    },
  };
}
