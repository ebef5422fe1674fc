import type { Times } from '../../rules/calendar/calendar.ts';
import type { CampaignState, Driver } from '../campaigns/campaigns.ts';
import type { Database } from '../database.ts';
import type { LaneState } from '../lanes/lanes.ts';

/** Attempts with a job that a worker has, or will have: what the ledger knows of each queue's jobs. */
export type JobLine = {
  id: string;
  /** When it was planned, as Postgres writes it. */
  place: string;
  state: 'planned' | 'dialing' | 'placed';
  laneId: number;
  key: string;
  laneState: LaneState;
  laneReason: string | null;
  probeAt: Date | null;
  number: number;
  plannedAt: Date;
  dialedAt: Date | null;
  nextPollAt: Date | null;
  callId: string | null;
  status: string | null;
  requests: number;
  polls: number;
  recipientId: number;
  phone: string;
  row: number;
  name: string | null;
  /** The recipient's place. */
  where: string;
  campaignId: string;
  campaign: string;
  campaignState: CampaignState;
  driver: Driver;
  times: Times | null;
  runLives: boolean;
  inUse: boolean;
};

/** The forms that a search text fits; any of them may match. */
export type JobSearch = {
  attempt: string | null;
  campaign: string | null;
  phones: string[];
  call: string | null;
};

export type JobFilter = { key: string | null; states: JobLine['state'][]; search: JobSearch | null };

export function createJobs(db: Database, baseUrl: string) {
  return {
    /** One page, oldest plan first. */
    page: (
      { key, states, search }: JobFilter,
      after: { place: string; id: string } | null,
      most: number,
    ): Promise<JobLine[]> =>
      db.query('attempts/jobs', {
        baseUrl,
        key,
        states,
        place: after?.place ?? null,
        id: after?.id ?? null,
        most,
        searches: search !== null,
        attemptId: search?.attempt ?? null,
        campaignId: search?.campaign ?? null,
        phones: search?.phones ?? null,
        call: search?.call ?? null,
      }) as Promise<JobLine[]>,
  };
}
