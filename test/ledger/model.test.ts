import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { renewPeople } from '../../src/dispatch/renew.ts';
import { type House, openerOn, shareBooks } from './support.ts';
import { act, expectBalance, size, type Verb } from './walk.ts';

/**
 * The life of a few recipients against the real ledger, with workers that load, open, answer, die and come back late.
 * After every step, the sums hold, what has ended stays ended, and no attempt was sent twice. And anything that was
 * done can be repeated with its old arguments at any later time, and changes nothing.
 */
const books = await shareBooks();

/** A worker that holds an attempt, as it was when loaded. */
type Hand = {
  id: string;
  revision: number;
  opens: number;
  lane: number;
  ticket: string;
  opened: boolean;
};
/** Something that was done to one attempt, with its arguments. */
type Deed = { name: string; again: () => Promise<unknown> };
type World = {
  house: House;
  campaign: string;
  hands: Hand[];
  deeds: Deed[];
  /** Openings of an attempt that may have called a person. */
  sent: Map<string, Set<number>>;
  ended: Map<string, string>;
};

const ends = ['done', 'refused', 'dropped'];

/** Answers false where there was nothing to do: then there is nothing to look at. */
type Work = (world: World, pick: number) => Promise<unknown>;

class Step implements fc.AsyncCommand<object, World> {
  readonly verb: string;
  readonly pick: number;
  private readonly work: Work;
  constructor(verb: string, pick: number, work: Work) {
    this.verb = verb;
    this.pick = pick;
    this.work = work;
  }
  check = () => true;
  async run(_model: object, world: World) {
    if ((await this.work(world, this.pick)) !== false) await expectSound(world);
  }
  toString = () => `${this.verb}(${this.pick})`;
}

async function attemptsIn({ campaign }: World, ...states: string[]): Promise<string[]> {
  const rows = await books.sql<{ id: string }>(
    `select a.id from carillon.attempts a join carillon.recipients r on r.id = a.recipient_id
     where a.campaign_id = $1 and a.state = any ($2) order by a.planned_at, r.row, a.id`,
    [campaign, states],
  );
  return rows.map((row) => row.id);
}

const one = async (world: World, pick: number, ...states: string[]) => {
  const ids = await attemptsIn(world, ...states);
  return ids[pick % Math.max(1, ids.length)];
};

/** Does it, and remembers it if it had an effect: only then must a repetition have none. */
async function deed(world: World, name: string, again: () => Promise<unknown>): Promise<unknown> {
  const effect = await again();
  if (effect) world.deeds.push({ name, again });
  return effect;
}

async function openHand(world: World, hand: Hand): Promise<void> {
  const { attempts } = world.house.ledger;
  const { id, revision, opens, lane, ticket } = hand;
  const open = async () => (await attempts.open({ id, revision, opens, ticket }, openerOn(lane))) === 'open';
  hand.opened = Boolean(await deed(world, `open ${id}`, open));
  if (!hand.opened) return;
  world.sent.set(id, (world.sent.get(id) ?? new Set()).add(opens + 1));
}

/** The service's answers to a worker, however long ago it asked: these answers mean that nobody was called. */
const answers = {
  placed: (w: World, h: Hand) =>
    w.house.ledger.attempts.placed({
      id: h.id,
      callId: `call of ${h.id} ${h.opens}`,
      status: null,
      nextPollAt: new Date().toISOString(),
      deadlineAt: new Date().toISOString(),
      ticket: h.ticket,
    }),
  lose: async (w: World, h: Hand) => {
    const { ticket } = h;
    const lost = await w.house.ledger.attempts.lose({ id: h.id, reason: 'lost', detail: 'x', ticket });
    await deed(w, `fail ${h.id}`, () => w.house.ledger.lanes.fail(h.lane, h.id, 'x', 4));
    return lost;
  },
  busy: (w: World, h: Hand) =>
    w.house.ledger.attempts.withhold({ id: h.id, sent: true, detail: 'x', ticket: h.ticket }),
  broke: (w: World, h: Hand) => w.house.ledger.attempts.park(h.id, h.lane, 'no credit', h.ticket),
  person: (w: World, h: Hand) => w.house.ledger.attempts.refusePerson(h.id, 'no', h.ticket),
  order: (w: World, h: Hand) => w.house.ledger.attempts.refuseOrder(h.id, 'no', 3, h.ticket),
} as const;
const nothingMade = new Set<string>(['busy', 'broke', 'person', 'order']);

async function answer(world: World, kind: keyof typeof answers, pick: number): Promise<unknown> {
  const open = world.hands.filter((hand) => hand.opened);
  const hand = open[pick % Math.max(1, open.length)];
  if (!hand) return false;
  // The worker stays in its place: a repeated late report of it is one of the deeds.
  hand.opened = false;
  if (nothingMade.has(kind)) world.sent.get(hand.id)!.delete(hand.opens + 1);
  await deed(world, `${kind} ${hand.id}`, () => answers[kind](world, hand));
}

/** Of everything that may happen to a campaign, what a worker holds no attempt for; rare is what ends much. */
const frequent: Verb[] = [
  'plan',
  'crash',
  'probe',
  'openLane',
  'move',
  'resume',
  'unpark',
  'tidy',
  'importWhole',
];
const rare: Verb[] = [
  'deny',
  'suppress',
  'pause',
  'release',
  'importLess',
  'importMore',
  'skip',
  'parkRest',
  'due',
];
const happenings = (verbs: Verb[], isRare: boolean) =>
  Object.fromEntries(
    verbs.map((verb): [Verb, Work] => [
      verb,
      async ({ house, campaign }, pick) =>
        isRare && pick >= 3 ? false : act(books, house, campaign, { verb, pick }),
    ]),
  );

const steps: Record<string, Work> = {
  ...happenings(frequent, false),
  ...happenings(rare, true),
  async load(world, pick) {
    const id = await one(world, pick, 'planned');
    const attempt = id && (await world.house.ledger.attempts.load(id));
    if (!attempt) return false;
    const { revision, opens, laneId } = attempt;
    world.hands.push({ id, revision, opens, lane: laneId, ticket: randomUUID(), opened: false });
  },
  async open(world, pick) {
    const idle = world.hands.filter((hand) => !hand.opened);
    const hand = idle[pick % Math.max(1, idle.length)];
    if (!hand) return false;
    await openHand(world, hand);
  },
  async dial(world, pick) {
    if ((await steps.load!(world, pick)) === false) return false;
    await openHand(world, world.hands.at(-1)!);
  },
  placed: (world, pick) => answer(world, 'placed', pick),
  lose: (world, pick) => answer(world, 'lose', pick),
  busy: (world, pick) => answer(world, 'busy', pick),
  broke: (world, pick) => answer(world, 'broke', pick),
  person: (world, pick) => answer(world, 'person', pick),
  order: (world, pick) => answer(world, 'order', pick),
  async settle(world, pick) {
    const id = await one(world, pick, 'placed');
    const attempt = id && (await world.house.ledger.attempts.load(id));
    if (!attempt) return false;
    const again = attempt.attempts < attempt.order.maxAttempts && pick % 2 ? 0 : null;
    await deed(world, `settle ${id}`, () => world.house.settle(id, 'busy', { again }));
  },
  async stale(world, pick) {
    const id = await one(world, pick, 'placed');
    const attempt = id && (await world.house.ledger.attempts.load(id));
    if (!attempt) return false;
    const { stale } = world.house.ledger.attempts;
    await deed(world, `stale ${id}`, () => stale(id, 'x', attempt.deadlineAt));
  },
  async notCalled(world, pick) {
    const id = await one(world, pick, 'unknown');
    await world.house.age();
    if (id) await deed(world, `free ${id}`, () => world.house.ledger.unknowns.free(id, 'asked'));
  },
  async called(world, pick) {
    const id = await one(world, pick, 'unknown');
    if (!id) return false;
    await deed(world, `called ${id}`, () => world.house.ledger.unknowns.called(id));
  },
  async name(world, pick) {
    const id = await one(world, pick, 'unknown');
    const attempt = id && (await world.house.ledger.attempts.load(id));
    // A later deadline than any that an old tracker knows.
    if (!attempt) return false;
    await world.house.ledger.unknowns.place(id, attempt.callId ?? `named ${id}`, 3_600);
  },
  async redial({ house }) {
    await house.age();
    await house.ledger.attempts.redial(house.baseUrl, null);
  },
  async cancel({ house, campaign }, pick) {
    // Rarely: nothing much happens after it.
    if (pick !== 0) return false;
    await house.ledger.campaigns.cancel(campaign);
  },
  async tryAgain({ house, campaign }, pick) {
    await house.retry(campaign, pick % 2 ? ['busy'] : ['answered', 'no-answer']);
  },
  async allow({ house, campaign }, pick) {
    const order = await house.ledger.campaigns.get(campaign);
    await house.ledger.campaigns.change(campaign, { ...order, maxAttempts: 1 + (pick % 4) });
    await renewPeople(house.ledger, campaign);
  },
  async brake({ house }) {
    await house.ledger.campaigns.brake(house.baseUrl, 5);
  },
  replay: (world, pick) => replay(world, pick),
};

/** Repeats any earlier deed. */
async function replay(world: World, pick: number): Promise<unknown> {
  const past = world.deeds[(pick * 7) % Math.max(1, world.deeds.length)];
  if (!past) return false;
  const before = await picture(world);
  await past.again();
  expect(await picture(world), `${past.name}, done again`).toEqual(before);
}

/** Everything that may change, without times. */
async function picture({ house, campaign }: World) {
  const ask = (text: string, value: string) => books.sql(text, [value]);
  return {
    attempts: await ask(
      `select id, state, reason, opens, counted, requests, call_id, lane_id from carillon.attempts
       where campaign_id = $1 order by id`,
      campaign,
    ),
    ended: await ask(
      `select id, state, reason, requests, call_id, lane_id from carillon.ended_attempts
       where campaign_id = $1 order by id`,
      campaign,
    ),
    phones: await ask(
      `select p.phone, p.attempt_id from carillon.live_phones p join carillon.attempts a on a.id = p.attempt_id
       where a.campaign_id = $1 order by p.phone`,
      campaign,
    ),
    people: await ask(
      `select id, state, outcome, attempts, redials from carillon.people
       where campaign_id = $1 order by id`,
      campaign,
    ),
    lanes: await ask(
      'select name, state, losses, probe_attempt, probe_gap_ms from carillon.lanes where base_url = $1 order by id',
      house.baseUrl,
    ),
    campaigns: await ask('select state, faults from carillon.campaigns where id = $1', campaign),
  };
}

async function expectSound(world: World): Promise<void> {
  const { house, campaign, sent, ended } = world;
  await expectBalance(house, campaign);
  const rows = await books.sql<{ id: string; state: string; recipient: number; redials: number }>(
    `select a.id, a.state, a.recipient_id::integer as recipient, r.redials from carillon.all_attempts a
     join carillon.recipients r on r.id = a.recipient_id where a.campaign_id = $1`,
    [campaign],
  );
  const live = new Map<number, number>();
  for (const { id, state, recipient, redials } of rows) {
    expect(ended.get(id) ?? state, `${id} has ended`).toBe(state);
    if (ends.includes(state)) ended.set(id, state);
    else live.set(recipient, (live.get(recipient) ?? 0) + 1);
    expect(redials).toBeLessThanOrEqual(1);
  }
  for (const [recipient, n] of live) expect(n, `live attempts of ${recipient}`).toBe(1);
  for (const [id, openings] of sent) expect(openings.size, `${id} was sent`).toBeLessThanOrEqual(1);
}

/** Most of a life is work: an early end is rare. */
const likely =
  'plan plan plan dial dial dial dial dial dial placed placed lose lose broke busy settle openLane openLane resume resume crash replay'.split(
    ' ',
  );

it('nobody is sent twice and nothing old has an effect, whatever workers do and whenever they come back', async () => {
  const seen = new Map<string, number>();
  const verbs = [...Object.keys(steps), ...likely];
  const commands = verbs.map((verb) => fc.nat(11).map((pick) => new Step(verb, pick, steps[verb]!)));
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(...commands), { minLength: 40, maxLength: 70 }), async (walk) => {
      await books.vacate();
      const { house, campaign } = await books.campaign({
        people: size,
        maxAttempts: 3,
        retry: { busy: [0] },
        first: 4,
        stopAt: { percent: 80, seconds: 60 },
        onUnknown: 'redial',
      });
      await books.sql('delete from carillon.suppressions');
      await house.ledger.lanes.join(['a', 'b']);
      const world: World = { house, campaign, hands: [], deeds: [], sent: new Map(), ended: new Map() };
      await fc.asyncModelRun(() => ({ model: {}, real: world }), walk);
      // Finally everything that ever had an effect is repeated, in its order.
      const before = await picture(world);
      for (const past of world.deeds) {
        const name = past.name.split(' ')[0]!;
        seen.set(name, (seen.get(name) ?? 0) + 1);
        await past.again();
      }
      expect(await picture(world)).toEqual(before);
      await expectSound(world);
    }),
    { numRuns: 24, seed: 20_262, endOnFailure: true },
  );
  // The walks have covered what matters.
  for (const name of ['open', 'placed', 'lose', 'fail', 'busy', 'broke', 'settle', 'stale', 'free', 'called'])
    expect(seen.get(name) ?? 0, name).toBeGreaterThan(0);
});
