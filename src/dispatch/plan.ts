import { type Asides, isOfOneRow } from '../base/asides.ts';
import type { Log } from '../base/log.ts';
import type { Lane } from '../lane/lane.ts';
import type { Planned, PlanRequest } from '../ledger/attempts/attempts.ts';
import type { LaneLoad, Plannable } from '../ledger/lanes/lanes.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Queues } from '../queues/queues.ts';
import { openPlaces } from '../rules/calendar/calendar.ts';
import { campaignHeadroom, laneHeadroom, leadOn, plannedOn, queuedOf } from './health/headroom.ts';
import type { Scope, Tools } from './scope.ts';
import { tellPlanned } from './spans.ts';
import type { DialPermit } from './trust/dial-permit.ts';

/**
 * The plan station: claims who is due, by the campaigns' turns, and keeps a few seconds of work per lane in the queue.
 */
type PlanDeps = Tools & {
  ledger: Ledger;
  queues: Queues;
  scope: Scope;
  permit: DialPermit;
  asides: Asides;
  lanes(): readonly Lane[];
  log: Log;
};

/** If more people of one campaign cannot be planned in one round, the campaign is set aside. */
const mostPutOff = 10;

type OpenLane = { lane: Lane; headroom: number };
/** A campaign and how many attempts it wants planned now. */
type Claim = { campaign: Plannable; left: number; places: string[] | null };

export type Plan = {
  /** One round over all lanes; returns how many attempts it planned. */
  round(): Promise<number>;
  /** Whether anyone was due in the last round and not planned: they wait for headroom, or for their phone. */
  someoneWaits(): boolean;
};

export function createPlan(deps: PlanDeps): Plan {
  const { ledger, queues, scope, permit, asides } = deps;
  let turn = 0;
  let waits = false;

  const round = async (): Promise<number> => {
    waits = false;
    await permit.fresh();
    if (permit.trouble()) return 0;
    const loads = await ledger.lanes.loads(scope.runId === null ? null : scope.dialer);
    for (const lane of deps.lanes()) lane.backlog = plannedOn(lane, loads);
    const ready = openLanes(loads);
    if (ready.length === 0) return 0;
    // One more than there is headroom for, to see which campaigns want more.
    const most = (lanes: readonly OpenLane[]) => headroomOf(lanes) + 1;
    let campaigns = await plannable(most(ready));
    if (campaigns.length === 0) return 0;
    waits = true;
    // Calls that came in may leave less headroom now, or more.
    const isKnown = await Promise.all(ready.map(({ lane }) => lane.liveCounter.look()));
    const unknown = ready.filter((_, nth) => !isKnown[nth]).map(({ lane }) => lane);
    const open = openLanes(loads).filter(({ lane }) => !unknown.includes(lane));
    if (open.length === 0) return 0;
    if (most(open) > most(ready)) campaigns = await plannable(most(open));
    const claims: Claim[] = [];
    for (const each of campaigns) {
      const claim = await asides.guard('planner', each.id, () => claimOf(each, loads));
      if (claim) claims.push(claim);
    }
    turn += 1;
    let total = 0;
    let headroomLeft = headroomOf(open);
    const failed: unknown[] = [];
    for (const each of rotate(open, turn)) {
      const planned = await planOn(each, claims, loads, headroomLeft);
      headroomLeft -= each.headroom;
      total += planned.length;
      // On a Cluster the server of one lane may be away: the reconciler adds its jobs, and the others get theirs now.
      await addJobs(each.lane, planned).catch((error) => failed.push(error));
    }
    if (failed.length > 0) throw failed[0];
    return total;
  };
  return { round, someoneWaits: () => waits };

  /** A campaign whose figures cannot be added does not hold up the others. */
  async function plannable(most: number): Promise<Plannable[]> {
    const all = async () => (await ledger.lanes.windows(scope.campaignId)).map(({ id }) => id);
    const read = (only: readonly string[] | null) =>
      ledger.lanes.plannable(scope.campaignId, scope.runId, most, only);
    return (await asides.parts('planner', all, read)).flat();
  }

  function openLanes(loads: readonly LaneLoad[]): OpenLane[] {
    return deps
      .lanes()
      .filter((lane) => lane.state === 'open' && !lane.leaving)
      .map((lane) => ({
        lane,
        headroom: laneHeadroom(lane, loads, scope, lane.governor.cap()),
      }));
  }

  function claimOf(campaign: Plannable, loads: readonly LaneLoad[]): Claim {
    const places = openPlaces(ledger.calendarOf(campaign.times), campaign.places, permit.now());
    const left = places?.length === 0 ? 0 : Math.min(campaign.due, campaignHeadroom(campaign, loads));
    return { campaign, places, left: Math.max(0, left) };
  }

  /**
   * Each campaign asks each lane for its share of the headroom, so that no lane is idle while another has all the
   * work. A lane without headroom still learns who waits, so that waiting is not mistaken for resting.
   */
  async function planOn(
    { lane, headroom }: OpenLane,
    claims: readonly Claim[],
    loads: readonly LaneLoad[],
    headroomLeft: number,
  ): Promise<Planned[]> {
    const requests = claims.map(({ campaign, left, places }): PlanRequest => {
      const limit = headroomLeft > 0 ? Math.min(headroom, Math.ceil((left * headroom) / headroomLeft)) : 0;
      return { id: campaign.id, limit, due: left, queued: queuedOf(campaign, lane, loads), places };
    });
    let room = headroom;
    const parts = await asides.halves(
      'planner',
      requests,
      ({ id }) => id,
      async (part) => {
        const made = await planPart(lane, part, room);
        room -= made.length;
        return made;
      },
    );
    const planned = parts.flat();
    for (const claim of claims) {
      claim.left -= planned.filter((attempt) => attempt.campaignId === claim.campaign.id).length;
    }
    lane.backlog += planned.length;
    return planned;
  }

  /** A person for whom no attempt can be made does not hold up the others of their campaign. */
  async function planPart(lane: Lane, part: readonly PlanRequest[], room: number): Promise<Planned[]> {
    const plan = (requests: readonly PlanRequest[], most: number) =>
      ledger.attempts.plan(lane.id, requests, most, leadOn(lane));
    try {
      return await plan(part, room);
    } catch (error) {
      const [only, ...others] = part;
      if (!only || others.length > 0 || !isOfOneRow(error)) throw error;
      // Fails if the cause is not a person.
      await plan([{ ...only, limit: 0 }], 0);
      return oneByOne(only, Math.min(only.limit, room), plan, () => ledger.attempts.putOff(lane.id, only));
    }
  }

  async function oneByOne(
    request: PlanRequest,
    most: number,
    plan: (requests: readonly PlanRequest[], most: number) => Promise<Planned[]>,
    putOff: () => Promise<number | null>,
  ): Promise<Planned[]> {
    const made: Planned[] = [];
    for (let failures = 0; made.length < most; ) {
      try {
        const planned = await plan([{ ...request, limit: 1, queued: request.queued + made.length }], 1);
        if (planned.length === 0) break;
        made.push(...planned);
      } catch (error) {
        failures += 1;
        const person = failures < mostPutOff && isOfOneRow(error) ? await putOff() : null;
        if (person === null) throw error;
        asides.fail('planner', String(person), error);
      }
    }
    return made;
  }

  async function addJobs(lane: Lane, planned: readonly Planned[]): Promise<void> {
    if (planned.length === 0) return;
    await queues.add(
      lane.bucket,
      'dial',
      planned.map((attempt) => attempt.id),
    );
    tellPlanned(planned, lane);
  }
}

function headroomOf(lanes: readonly OpenLane[]): number {
  return lanes.reduce((total, lane) => total + lane.headroom, 0);
}

function rotate<T>(items: readonly T[], by: number): T[] {
  const at = by % items.length;
  return [...items.slice(at), ...items.slice(0, at)];
}
