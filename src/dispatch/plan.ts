import type { Wish } from '../ledger/attempts.ts';
import type { Plannable, Room } from '../ledger/lanes.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Log } from '../log.ts';
import type { Queues } from '../queues/queues.ts';
import { isOpen } from '../rules/window.ts';
import type { LaneDesk, Tools } from './lane.ts';
import { campaignRoom, laneRoom, leadOn, plannedOn, stockOf } from './room.ts';
import type { Scope } from './scope.ts';

/** The plan station: claims who is due, by the campaigns' turns, and keeps a few seconds of work a lane in the queue. */
export type PlanDeps = Tools & {
  ledger: Ledger;
  queues: Queues;
  scope: Scope;
  desks(): readonly LaneDesk[];
  laneCap: number | null;
  /** New calls that this process may still start; null without a limit. */
  quota(): Promise<number | null>;
  log: Log;
};

type OpenLane = { desk: LaneDesk; room: number };
/** A campaign with as many as it would have planned now. */
type Claim = { campaign: Plannable; left: number; zones: string[] | null };

export function createPlan(deps: PlanDeps) {
  const { ledger, queues, scope, clock } = deps;
  let turn = 0;

  /** One round over all lanes; answers how many attempts it planned. */
  return async (): Promise<number> => {
    const rooms = await ledger.lanes.rooms();
    for (const desk of deps.desks()) desk.backlog = plannedOn(desk, rooms);
    const lanes = openLanes(rooms);
    if (lanes.length === 0) return 0;
    // One more than there is room for, so that it is seen who would take more.
    const campaigns = await ledger.lanes.plannable(scope.campaignId, scope.runId, roomOf(lanes) + 1);
    if (campaigns.length === 0) return 0;
    const quota = (await deps.quota()) ?? Number.POSITIVE_INFINITY;
    const claims = campaigns.map((campaign) => claimOf(campaign, rooms, quota));
    turn += 1;
    let total = 0;
    let roomLeft = roomOf(lanes);
    for (const lane of rotate(lanes, turn)) {
      total += await planOn(lane, claims, rooms, roomLeft);
      roomLeft -= lane.room;
    }
    return total;
  };

  function openLanes(rooms: readonly Room[]): OpenLane[] {
    return deps
      .desks()
      .filter((desk) => desk.state === 'open')
      .map((desk) => ({ desk, room: laneRoom(desk, rooms, scope, desk.governor.cap(deps.laneCap)) }));
  }

  function claimOf(campaign: Plannable, rooms: readonly Room[], quota: number): Claim {
    const zones = campaign.hours ? openZones(campaign, clock.now()) : null;
    const left = zones?.length === 0 ? 0 : Math.min(campaign.due, campaignRoom(campaign, rooms), quota);
    return { campaign, zones, left: Math.max(0, left) };
  }

  /**
   * Each campaign asks a lane for its part, by the room that the lane has: none stands idle while another has all the
   * work. A lane without room is told who waits, so that nobody's turn is taken for a rest.
   */
  async function planOn(
    { desk, room }: OpenLane,
    claims: readonly Claim[],
    rooms: readonly Room[],
    roomLeft: number,
  ): Promise<number> {
    const wishes = claims.map(({ campaign, left, zones }): Wish => {
      const part = roomLeft > 0 ? Math.min(room, Math.ceil((left * room) / roomLeft)) : 0;
      return { id: campaign.id, most: part, due: left, stock: stockOf(campaign, desk, rooms), zones };
    });
    const planned = await ledger.attempts.plan(desk.id, wishes, room, leadOn(desk));
    if (planned.length === 0) return 0;
    for (const claim of claims) {
      claim.left -= planned.filter((attempt) => attempt.campaignId === claim.campaign.id).length;
    }
    desk.backlog += planned.length;
    await queues.add(
      desk.bucket,
      'dial',
      planned.map((attempt) => attempt.id),
    );
    return planned.length;
  }
}

function roomOf(lanes: readonly OpenLane[]): number {
  return lanes.reduce((total, lane) => total + lane.room, 0);
}

export function openZones(campaign: Pick<Plannable, 'hours' | 'zones'>, now: number): string[] {
  return (campaign.zones ?? []).filter((zones) => isOpen(campaign.hours, zones ? zones.split(',') : [], now));
}

function rotate<T>(items: readonly T[], by: number): T[] {
  const at = by % items.length;
  return [...items.slice(at), ...items.slice(0, at)];
}
