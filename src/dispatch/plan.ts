import type { Plannable, Room } from '../ledger/lanes.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Log } from '../log.ts';
import type { Queues } from '../queues/queues.ts';
import { isOpen } from '../rules/window.ts';
import type { LaneDesk, Tools } from './lane.ts';
import { plannedOn, roomsOf, sum } from './room.ts';
import type { Scope } from './scope.ts';

/** The plan station: claims who is due and keeps about a minute of work a lane in the queue. */
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

const leastAhead = 20;
const mostAhead = 5_000;

export function createPlan(deps: PlanDeps) {
  const { ledger, queues, scope, clock } = deps;
  let turn = 0;

  /** One round over all lanes; answers how many attempts it planned. */
  return async (): Promise<number> => {
    const rooms = await ledger.lanes.rooms();
    for (const desk of deps.desks()) desk.backlog = plannedOn(desk, rooms);
    const lanes = openLanes(rooms);
    if (lanes.length === 0) return 0;
    const campaigns = await ledger.lanes.plannable(scope.campaignId, scope.runId, roomOf(lanes));
    if (campaigns.length === 0) return 0;
    let quota = (await deps.quota()) ?? Number.POSITIVE_INFINITY;
    let total = 0;
    turn += 1;
    // Each campaign gets its share before any gets what the others leave: ten do not wait behind a million.
    for (let pass = 0; pass < 2; pass++) {
      const order = rotate(campaigns, turn);
      const share = pass === 0 ? Math.ceil(roomOf(lanes) / order.length) : Number.POSITIVE_INFINITY;
      for (const campaign of order) {
        const most = Math.min(share, roomOf(lanes), campaign.due, campaignRoom(campaign, rooms), quota);
        if (most <= 0) continue;
        const planned = await planOver(lanes, campaign, most, rooms);
        campaign.due -= planned;
        quota -= planned;
        total += planned;
      }
    }
    return total;
  };

  function openLanes(rooms: readonly Room[]): OpenLane[] {
    return deps
      .desks()
      .filter((desk) => desk.state === 'open')
      .map((desk) => ({ desk, room: laneRoom(desk, rooms, desk.governor.cap(deps.laneCap)) }))
      .filter((lane) => lane.room > 0);
  }

  /** Every lane gets its part of them, by the room it has: none stands idle while another has all the work. */
  async function planOver(
    lanes: readonly OpenLane[],
    campaign: Plannable,
    most: number,
    rooms: Room[],
  ): Promise<number> {
    let left = most;
    let total = 0;
    let roomLeft = roomOf(lanes);
    for (const lane of rotate(lanes, turn)) {
      const part = Math.min(lane.room, Math.ceil((left * lane.room) / Math.max(1, roomLeft)));
      roomLeft -= lane.room;
      left -= part;
      if (part <= 0) continue;
      const planned = await planOne(lane.desk, campaign, part);
      count(rooms, lane.desk.id, campaign.id, planned);
      lane.room -= planned;
      total += planned;
    }
    return total;
  }

  async function planOne(desk: LaneDesk, campaign: Plannable, most: number): Promise<number> {
    const zones = campaign.hours ? openZones(campaign, clock.now()) : null;
    if (zones?.length === 0) return 0;
    const attempts = await ledger.attempts.plan(campaign.id, desk.id, most, zones);
    if (attempts.length > 0) await queues.add(desk.bucket, 'dial', attempts);
    desk.backlog += attempts.length;
    return attempts.length;
  }
}

function roomOf(lanes: readonly OpenLane[]): number {
  return sum(lanes, (lane) => lane.room);
}

export function openZones(campaign: Pick<Plannable, 'hours' | 'zones'>, now: number): string[] {
  return (campaign.zones ?? []).filter((zones) => isOpen(campaign.hours, zones ? zones.split(',') : [], now));
}

function laneRoom(desk: LaneDesk, rooms: readonly Room[], cap: number | null): number {
  const mine = roomsOf(desk, rooms);
  const planned = plannedOn(desk, rooms);
  const ahead = Math.min(mostAhead, Math.max(leastAhead, Math.ceil(desk.governor.limit().rate * 60)));
  const room = ahead - planned;
  return cap === null ? room : Math.min(room, cap - planned - sum(mine, (r) => r.dialing + r.placed));
}

function campaignRoom(campaign: Plannable, rooms: readonly Room[]): number {
  const mine = rooms.filter((room) => room.campaignId === campaign.id);
  const pending = sum(mine, (room) => room.planned + room.dialing);
  if (!campaign.proved) return 1 - pending;
  if (campaign.maxCalls === null) return Number.POSITIVE_INFINITY;
  return campaign.maxCalls - pending - sum(mine, (room) => room.placed);
}

function count(rooms: Room[], laneId: number, campaignId: string, planned: number): void {
  if (planned > 0) rooms.push({ laneId, campaignId, planned, dialing: 0, placed: 0 });
}

function rotate<T>(items: readonly T[], by: number): T[] {
  const at = by % items.length;
  return [...items.slice(at), ...items.slice(0, at)];
}
