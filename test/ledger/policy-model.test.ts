import fc from 'fast-check';
import { expect, it } from 'vitest';
import { writtenPolicy } from '../../src/ledger/policies/policies.ts';
import { type House, person, shareBooks } from './support.ts';

/**
 * Two phones on three lists, with attempts that are opened, taken back, lost, ended and settled late in any order, while
 * time passes. A few lines of a model say what the fence must answer to each opening.
 */
const books = await shareBooks();

const hour = 3_600;
const rules = { calls: 2, per: 9 * hour, gap: 3 * hour, conversation: 21 * hour };
const body = { caps: [{ calls: 2, per: '9h' }], gap: '3h', after_conversation: '21h' };
/** Until when an unknown attempt keeps its phone; odd, so that no step of time meets it. */
const keepsPhoneSeconds = 5 * hour;
const stepSeconds = 2 * hour;

type Known = {
  at: number;
  end: number | null;
  answered: boolean;
  state: 'dialing' | 'placed' | 'unknown' | 'over';
};
type World = {
  house: House;
  campaigns: string[];
  now: number;
  calls: Map<string, { phone: string; known: Known }>;
};

const phones = [person(1).phone, person(2).phone];

function verdictOf({ calls, now }: World, phone: string): string {
  const known = [...calls.values()].filter((each) => each.phone === phone).map((each) => each.known);
  const isLive = ({ state, at }: Known) =>
    state === 'dialing' || state === 'placed' || (state === 'unknown' && now < at + keepsPhoneSeconds);
  if (known.some(isLive)) return 'in-use';
  const ends = known.map(({ end, at }) => end ?? at + keepsPhoneSeconds);
  const inCap = known.filter(({ at }) => at + rules.per > now).length >= rules.calls;
  const inGap = ends.some((end) => end + rules.gap > now);
  const inPause = known.some(({ answered, end }) => answered && end! + rules.conversation > now);
  return inCap || inGap || inPause ? 'held' : 'open';
}

/** A planned attempt of a list for a phone, made without asking the planner. */
async function planned(
  { house, campaigns }: World,
  pick: number,
): Promise<{ id: string; phone: string } | undefined> {
  const [campaign, phone] = [campaigns[pick % 3]!, phones[pick % 2]!];
  const [live] = await books.sql<{ id: string; state: string }>(
    'select id, state from carillon.attempts where campaign_id = $1 and phone = $2',
    [campaign, phone],
  );
  if (live) return live.state === 'planned' ? { id: live.id, phone } : undefined;
  const [made] = await books.sql<{ id: string }>(
    `with made as (
       insert into carillon.attempts (campaign_id, recipient_id, lane_id, phone, number)
       select campaign_id, id, $2, phone, attempts + 1 from carillon.recipients
       where campaign_id = $1 and phone = $3 and state = 'waiting' returning id, recipient_id)
     update carillon.recipients r set state = 'live' from made m where r.id = m.recipient_id returning m.id`,
    [campaign, await house.lane(), phone],
  );
  return made && { id: made.id, phone };
}

function pickOf(world: World, pick: number, ...states: string[]): string | undefined {
  const ids = [...world.calls].filter(([, { known }]) => states.includes(known.state)).map(([id]) => id);
  return ids[pick % Math.max(1, ids.length)];
}

const end = (world: World, id: string, answered = false) => {
  const { known } = world.calls.get(id)!;
  const lost = known.state === 'unknown' ? Math.min(world.now, known.at + keepsPhoneSeconds) : world.now;
  Object.assign(known, { state: 'over', end: lost, answered });
};

const verbs: Record<string, (world: World, pick: number) => Promise<unknown>> = {
  async open(world, pick) {
    const attempt = await planned(world, pick);
    if (!attempt) return;
    const wanted = verdictOf(world, attempt.phone);
    const said = await world.house.admit(attempt.id, {
      timeoutMs: 30_000,
      keepsPhoneMs: keepsPhoneSeconds * 1_000 - 45_000,
    });
    expect(said, `opening at ${world.now / hour} h`).toBe(wanted);
    if (said !== 'open') return;
    world.calls.set(attempt.id, {
      phone: attempt.phone,
      known: { at: world.now, end: null, answered: false, state: 'dialing' },
    });
  },
  async pass(world) {
    world.now += stepSeconds;
    const back = `make_interval(secs => ${stepSeconds})`;
    await books.sql(
      `update carillon.attempts set dialing_at = dialing_at - ${back}, expires_at = expires_at - ${back},
         phone_until = phone_until - ${back}, placed_at = placed_at - ${back}`,
    );
    await books.sql(`update carillon.phone_calls set at = at - ${back}, ended_at = ended_at - ${back}`);
    await world.house.ledger.attempts.tidy();
  },
  async place(world, pick) {
    const id = pickOf(world, pick, 'dialing');
    if (id && (await world.house.place(id))) world.calls.get(id)!.known.state = 'placed';
  },
  async settle(world, pick) {
    const id = pickOf(world, pick, 'placed');
    const answered = pick % 3 === 0;
    if (!id || !(await world.house.settle(id, answered ? 'answered' : 'busy', { again: 0 }))) return;
    end(world, id, answered);
  },
  async withhold(world, pick) {
    const id = pickOf(world, pick, 'dialing');
    if (id && (await world.house.ledger.attempts.withhold({ id, sent: false, detail: null })))
      world.calls.delete(id);
  },
  async lose(world, pick) {
    const id = pickOf(world, pick, 'dialing');
    if (!id || !(await world.house.ledger.attempts.lose({ id, reason: 'lost', detail: 'x' }))) return;
    world.calls.get(id)!.known.state = 'unknown';
    await world.house.ledger.attempts.tidy();
  },
  async called(world, pick) {
    const id = pickOf(world, pick, 'unknown');
    if (id && (await world.house.ledger.unknowns.called(id))) end(world, id);
  },
  async notCalled(world, pick) {
    const id = pickOf(world, pick, 'unknown');
    await world.house.age();
    if (id && (await world.house.ledger.unknowns.free(id))) world.calls.delete(id);
  },
};
const likely = ['open', 'open', 'open', 'open', 'place', 'settle', 'settle', 'pass', 'pass'];

it('the fence answers what the rules say, whatever becomes of the attempts before', async () => {
  await books.ledger.policies.set(writtenPolicy(body), 'api');
  const names = [...Object.keys(verbs), ...likely];
  const step = fc.record({ verb: fc.constantFrom(...names), pick: fc.nat(11) });
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 30, maxLength: 60 }), async (steps) => {
      await books.vacate();
      await books.sql('truncate carillon.phone_calls');
      const house = books.house();
      const campaigns: string[] = [];
      for (let i = 0; i < 3; i++) {
        const id = await house.campaign({ maxAttempts: 99 });
        await house.add(id, [person(1), person(2)]);
        campaigns.push(id);
      }
      const world: World = { house, campaigns, now: 0, calls: new Map() };
      for (const { verb, pick } of steps) {
        await verbs[verb]!(world, pick);
        for (const { known } of world.calls.values()) seen.add(known.state);
      }
    }),
    { numRuns: 12, seed: 7, endOnFailure: true },
  );
  expect([...seen].sort()).toEqual(['dialing', 'over', 'placed', 'unknown']);
});
