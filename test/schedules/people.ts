import { erasePerson } from '../../src/control/people/erase.ts';
import { awaitLastSends } from '../../src/control/stopping/hang-ups.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { writtenPolicy } from '../../src/ledger/policies/policies.ts';
import type { Judge } from './judge.ts';
import { drawPolicy, otherOf, type Plan, type PlannedCampaign, phoneOf, place } from './plan.ts';
import type { Service } from './service.ts';
import type { World } from './world.ts';

/** People who act while calls are made, by the verbs behind the doors, and what they are answered. */
export type Hand = {
  world: World;
  ledger: Ledger;
  plan: Plan;
  judge: Judge;
  service: Service;
  /** By the campaigns' order. */
  ids: string[];
  sleep(ms: number): Promise<void>;
};

export const rowsOf = (name: string, phones: readonly string[], numbers: number, from = 1) =>
  phones.map((phone, i) => ({
    row: from + i,
    phone,
    phones:
      numbers === 1
        ? undefined
        : [phone, otherOf(phone)].map((each) => ({ phone: each, place, passed: null })),
    name: null,
    place,
    input: {},
    variables: { who: `${name}/${from + i}` },
  }));

/** A short list, as an import reads it. */
export async function* once(accepted: ReturnType<typeof rowsOf>) {
  yield { accepted, rejected: [] };
}

export async function actOnce(hand: Hand): Promise<void> {
  const { world, plan, ids } = hand;
  const nth = Math.floor(world.random() * ids.length);
  const campaign = plan.campaigns[nth]!;
  const id = ids[nth]!;
  const act = acts[Math.floor(world.random() * acts.length)]!;
  world.note(null, `a person acts: ${act.name} on ${campaign.name}`);
  await act(hand, campaign, id);
}

type Act = (hand: Hand, campaign: PlannedCampaign, id: string) => Promise<void>;

const deps = ({ ledger, world, sleep }: Hand) => ({ ledger, clock: { sleep, monotonic: world.now } });

const pause: Act = async (hand, { name }, id) => {
  const { ledger, judge } = hand;
  if (judge.isCanceled(name)) return;
  await ledger.campaigns.pause([id], 'paused by hand');
  await awaitLastSends(deps(hand), { campaigns: [id] });
  judge.pausedAt(name);
  await hand.sleep(2_000 + hand.world.random() * 20_000);
  judge.resumes(name);
  await ledger.campaigns.resume(id);
};

const cancel: Act = async (hand, { name }, id) => {
  if (hand.world.random() < 0.5) return;
  await hand.ledger.campaigns.cancel(id);
  await awaitLastSends(deps(hand), { campaigns: [id] });
  hand.judge.canceled(name);
};

/** Mostly of somebody who is on a call, or was a moment ago: then it matters most. */
function phoneFor({ world, service }: Hand, phones: readonly string[]): string {
  const live = service.calls.filter(({ phone, endsAt }) => endsAt > world.now() && phones.includes(phone));
  if (live.length > 0 && world.random() < 0.6) return live[Math.floor(world.random() * live.length)]!.phone;
  return phones[Math.floor(world.random() * phones.length)]!;
}

const suppress: Act = (hand, { phones }) => suppressOne(hand, phoneFor(hand, phones));

/** Also while a create of that phone is on its way, which the service then refuses: the attempt comes back, planned. */
export async function suppressOne(hand: Hand, phone: string): Promise<void> {
  await hand.ledger.suppressions.add([{ phone, source: 'manual' }]);
  await awaitLastSends(deps(hand), { phones: [phone] });
  hand.judge.barred(phone);
}

/** By the service's own journal: a person who says that nobody was called is right. */
export const resolve: Act = async ({ ledger, judge, world, service }) => {
  for (const unknown of await ledger.unknowns.list(null)) {
    const who = `${unknown.campaign}/${unknown.row}`;
    if (unknown.callId !== null) {
      await ledger.unknowns.called(unknown.attempt);
      continue;
    }
    const since = unknown.dialingAt.getTime();
    const call = service.calls.find((each) => each.who === who && each.madeAt >= since);
    if (!call) {
      if (unknown.freeFrom.getTime() < world.now()) await ledger.unknowns.free(unknown.attempt, null, true);
    } else if (world.random() < 0.5 && judge.lied.size === 0)
      await ledger.unknowns.place(unknown.attempt, call.id, 120);
    else if (call.endsAt <= world.now()) await ledger.unknowns.called(unknown.attempt);
  }
};

const raise: Act = async ({ ledger, judge }, { name }, id) => {
  const found = await ledger.campaigns.get(id);
  const order = orderIn(found);
  judge.raises(name, order.maxAttempts + 1);
  await ledger.campaigns.change(id, {
    ...order,
    maxAttempts: order.maxAttempts + 1,
    retry: { busy: [15], 'no-answer': [15], failed: [15] },
  });
};

const reorder: Act = async ({ ledger }, _, id) => {
  const order = orderIn(await ledger.campaigns.get(id));
  await ledger.campaigns.change(id, { ...order, agents: [{ id: 'agent-2', share: 1 }] });
};

const add: Act = async ({ ledger, judge, plan }, { name, phones }, id) => {
  phones.push(phoneOf(phones.length));
  if (judge.isCanceled(name)) return;
  const row = phones.length;
  await ledger.people.import(id, once(rowsOf(name, [phones[row - 1]!], plan.numbers, row)), {
    columns: ['phone'],
    mode: 'more',
  });
  await ledger.campaigns.wakeGrown(id);
};

const erase: Act = async (hand, { phones }) => {
  const phone = phoneFor(hand, phones);
  await erasePerson(deps(hand), { phone });
  hand.judge.erased(phone);
};

const govern: Act = async (hand) => {
  const { ledger, judge, world } = hand;
  const whole = (least: number, most: number) => least + Math.floor(world.random() * (most - least + 1));
  const written = writtenPolicy(drawPolicy(whole, (odds) => world.random() < odds));
  judge.rules(null);
  await ledger.policies.set(written, 'api');
  await awaitLastSends(deps(hand), {});
  judge.rules(written.policy);
};

const acts: readonly Act[] = [
  pause,
  pause,
  cancel,
  suppress,
  suppress,
  suppress,
  resolve,
  resolve,
  raise,
  reorder,
  add,
  govern,
  erase,
  erase,
];

function orderIn(campaign: Awaited<ReturnType<Ledger['campaigns']['get']>>) {
  const {
    id,
    name,
    kind,
    baseUrl,
    state,
    reason,
    driver,
    runId,
    runLives,
    columns,
    createdAt,
    revision,
    renewing,
    ...order
  } = campaign;
  return order;
}

/** When the trouble is over: everything is made to continue. */
export async function putRight({ ledger, plan, judge, service, ids }: Hand): Promise<void> {
  service.accept();
  judge.calm();
  for (const lane of await ledger.lanes.list()) await ledger.lanes.open(lane.id, null);
  for (const [nth, id] of ids.entries()) {
    const { name, opensUntil } = plan.campaigns[nth]!;
    if (judge.isCanceled(name)) continue;
    if (opensUntil !== null) {
      judge.opensAgain(name);
      const order = orderIn(await ledger.campaigns.get(id));
      await ledger.campaigns.change(id, { ...order, times: null });
    }
    judge.resumes(name);
    await ledger.campaigns.unpark(id);
    if ((await ledger.campaigns.get(id)).state === 'paused') await ledger.campaigns.resume(id);
  }
}
