import { describe, expect, it } from 'vitest';
import { shareBooks, tally } from './support.ts';

const books = await shareBooks();

type Share = { id: string; share: number };
const campaign = '6f0c2f54-9d3a-4c43-8c53-0a6a4d1c7b11';

/** The agent of each of 2,000 phones. */
async function drawn(agents: Share[], of = campaign): Promise<string[]> {
  const rows = await books.sql<{ agent: string }>(
    `select carillon.agent_of(null, $1::jsonb, $2::uuid, '+1415' || (5550000 + n)) as agent
     from generate_series(1, 2000) as n order by n`,
    [JSON.stringify({ agents }), of],
  );
  return rows.map((row) => row.agent);
}

describe('agents by share', () => {
  it('get their shares of the people', async () => {
    const { a, b } = tally(
      await drawn([
        { id: 'a', share: 70 },
        { id: 'b', share: 30 },
      ]),
    );
    expect(a! + b!).toBe(2_000);
    expect(a! / 2_000).toBeGreaterThan(0.66);
    expect(a! / 2_000).toBeLessThan(0.74);
  });

  it('keep their people: asked again the draw is the same, and another campaign has its own', async () => {
    const agents = [
      { id: 'a', share: 1 },
      { id: 'b', share: 1 },
    ];
    const first = await drawn(agents);
    expect(await drawn([...agents].reverse())).toEqual(first);
    expect(await drawn(agents, '6f0c2f54-9d3a-4c43-8c53-0a6a4d1c7b12')).not.toEqual(first);
  });

  it('move only the people whom a changed share needs', async () => {
    const before = await drawn([
      { id: 'a', share: 70 },
      { id: 'b', share: 30 },
    ]);
    const after = await drawn([
      { id: 'a', share: 60 },
      { id: 'b', share: 30 },
      { id: 'c', share: 10 },
    ]);
    const moved = before.flatMap((agent, at) => (agent === after[at] ? [] : [`${agent} to ${after[at]}`]));
    const kinds = tally(moved);
    // From a to the others, and from b only to the new one: it would have gained by a's loss.
    expect(Object.keys(kinds).sort()).toEqual(['a to b', 'a to c', 'b to c']);
    expect(moved.length / 2_000).toBeLessThan(0.2);
  });
});

it('a row’s own agent comes first, and each attempt keeps the agent that it was opened with', async () => {
  const { house, campaign: id } = await books.campaign({ people: 2, agents: [{ id: 'first', share: 1 }] });
  await books.sql(`update carillon.recipients set agent = 'own' where campaign_id = $1 and row = 2`, [id]);
  const [own, other] = await house.plan(id);
  expect((await house.ledger.attempts.load(own!))?.agentId).toBe('own');
  const planned = (await house.ledger.attempts.load(other!))!;
  expect(planned.agentId).toBe('first');
  const by = {
    dialer: 'd',
    runId: null,
    laneCap: null,
    timeoutMs: 30_000,
    keepsPhoneMs: 1_000,
    laneId: planned.laneId,
  };
  const { revision, agentId: agent } = planned;
  expect(await house.ledger.attempts.open({ id: other!, revision, agent }, by)).toBe('open');
  await house.place(other!);
  const { agents, ...order } = await house.ledger.campaigns.get(id);
  expect(agents).toHaveLength(1);
  await house.ledger.campaigns.change(id, { ...order, agents: [{ id: 'second', share: 1 }] });
  expect((await house.ledger.attempts.load(other!))?.agentId).toBe('first');
  expect((await house.ledger.attempts.load(own!))?.agentId).toBe('own');
  await house.settle(other!);
  expect((await house.attempt(other!)).agentId).toBe('first');
});
