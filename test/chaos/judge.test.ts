import { describe, expect, it } from 'vitest';
import type { JournalEntry } from '../../simulator/journal.ts';
import type { AttemptRow, Evidence, Move, RecipientRow, ResultRow } from './evidence.ts';
import { judge, type Rule } from './judge.ts';

/** Tests of the judge: a sound round passes, and each kind of harm is found in an otherwise sound one. */
const at = 1_700_000_000_000;
const phone = '+12125550000';

function create(over: Partial<JournalEntry> = {}): JournalEntry {
  return {
    seq: 1,
    at: at + 10,
    mono: 10,
    method: 'POST',
    path: '/v1/call',
    key: 0,
    answer: 201,
    phone,
    call: 'call-1',
    fault: null,
    body: null,
    ...over,
  };
}

function attempt(over: Partial<AttemptRow> = {}): AttemptRow {
  return {
    id: 'attempt-1',
    phone,
    state: 'done',
    reason: null,
    detail: null,
    callId: 'call-1',
    dialer: 'host-41-0123abcd',
    dialingAt: at,
    status: 'completed',
    outcome: 'answered',
    ...over,
  };
}

const recipient = (over: Partial<RecipientRow> = {}): RecipientRow => ({
  campaign: 'c',
  phone,
  row: 2,
  state: 'done',
  outcome: 'answered',
  attempts: 1,
  suppressedAt: null,
  ...over,
});

const result = (over: Partial<ResultRow> = {}): ResultRow => ({
  campaign: 'c',
  phone,
  state: 'done',
  outcome: 'answered',
  call_id: 'call-1',
  status: 'completed',
  ...over,
});

function moves(...kinds: string[]): Move[] {
  return kinds.map((kind, i) => ({ attempt: 'attempt-1', kind, detail: null, at: at + i }));
}

function evidence(over: Partial<Evidence> = {}): Evidence {
  return {
    people: [phone],
    sharing: 1,
    numbers: 1,
    pool: null,
    budget: null,
    mostAttempts: 1,
    policy: null,
    retried: ['busy'],
    tellsStatus: true,
    creates: [create()],
    attempts: [attempt()],
    recipients: [recipient()],
    moves: moves('planned', 'dialing', 'placed', 'done'),
    results: [result()],
    records: new Map([['call-1', 'completed']]),
    ends: new Map([['call-1', at + 4_000]]),
    calls: [{ id: 'call-1', from: null, cost: 0.1 }],
    lives: [
      {
        name: 'w',
        pid: 41,
        bornAt: at - 5_000,
        diedAt: null,
        code: null,
        killed: false,
        words: '',
        stops: [],
      },
    ],
    troubles: [],
    bans: [],
    losses: [],
    timeoutMs: 3_000,
    audit: { code: 0, words: '' },
    queues: { dial: 0 },
    breaches: [],
    leftovers: [],
    ended: 'done',
    ...over,
  };
}

const lost = {
  attempts: [attempt({ state: 'unknown', reason: 'lost', callId: null, status: null, outcome: null })],
  recipients: [recipient({ state: 'unknown', outcome: null })],
  moves: moves('planned', 'dialing', 'unknown'),
  results: [result({ state: 'unknown', outcome: '', call_id: '', status: '' })],
};

describe('the judge', () => {
  it('finds nothing in a sound round', () => {
    expect(judge(evidence())).toEqual([]);
  });

  it('accepts an unknown that the service’s journal or the death of the dialer explains', () => {
    const reset = create({ answer: 'reset', call: null });
    expect(judge(evidence({ ...lost, creates: [reset] }))).toEqual([]);
    const [life] = evidence().lives;
    const died = [{ ...life!, diedAt: at + 5, killed: true }];
    expect(judge(evidence({ ...lost, creates: [], lives: died }))).toEqual([]);
    expect(judge(evidence({ ...lost, lives: died }))).toEqual([]);
  });

  it('accepts an unknown whose request was so long on its way that its answer came too late', () => {
    const rulesOf = (arrivedAt: number) => {
      const detail = 'no readable answer: no answer within 1000 ms';
      const given = [
        ...lost.moves!.slice(0, -1),
        { attempt: 'attempt-1', kind: 'unknown', detail, at: at + 1_500 },
      ];
      const creates = [create({ at: arrivedAt })];
      return judge(evidence({ ...lost, moves: given, creates })).map((each) => each.rule);
    };
    expect(rulesOf(at + 900)).toEqual([]);
    expect(rulesOf(at + 510)).toEqual(['an attempt is unknown without a reason']);
  });

  it('accepts an unknown that a journal freed', () => {
    const freed = [...lost.moves!, { attempt: 'attempt-1', kind: 'resolved', detail: null, at: at + 9_000 }];
    const [left] = lost.attempts!;
    const attempts = [{ ...left!, state: 'dropped', reason: 'unsent' }];
    const rules = judge(evidence({ ...lost, attempts, moves: freed, creates: [] })).map((each) => each.rule);
    expect(rules).not.toContain('an attempt is unknown without a reason');
  });

  it('finds an attempt that a journal freed as never sent, and that the service saw', () => {
    const rule = 'an attempt that never left reached the service';
    const freed = attempt({ state: 'dropped', reason: 'unsent', callId: null, dialingAt: at - 10 });
    const rulesOf = (arrivedAt: number) =>
      judge(
        evidence({ attempts: [freed], creates: [create({ at: arrivedAt, call: null, answer: 'reset' })] }),
      ).map((each) => each.rule);
    expect(rulesOf(at)).toContain(rule);
    expect(rulesOf(at - 20)).not.toContain(rule);
  });

  describe('of a ledger that lost history', () => {
    const loss = {
      beganAt: at - 3_000,
      madeAt: at - 2_000,
      from: at + 3_000,
      backAt: at + 5_000,
      noticedAt: at + 6_000,
      confirmedAt: at + 9_000,
      settledAt: at + 9_000,
      since: false,
      marked: 1,
      faults: [],
    };
    const ban = { why: 'lost' as const, from: loss.from, to: loss.confirmedAt };
    const words = 'the ledger lost its history, and this person may have been called since';
    const marked = {
      ...lost,
      losses: [loss],
      bans: [ban],
      moves: [{ attempt: 'attempt-1', kind: 'unknown', detail: words, at: at + 8_000 }],
    };
    const rulesOf = (harm: Partial<Evidence>) =>
      judge(evidence({ ...marked, ...harm })).map((violation) => violation.rule);

    it('accepts that a person whose call is gone was left to a person', () => {
      expect(rulesOf({})).toEqual([]);
    });

    it('accepts an unknown that was being dialled when the backup was made, and none that was dialled before', () => {
      const rule = 'an attempt is unknown without a reason';
      const crashed = (openedAt: number, foundAt: number) => ({
        attempts: [{ ...lost.attempts[0]!, reason: 'crashed', dialingAt: openedAt }],
        creates: [create({ at: openedAt + 10 })],
        moves: [
          { attempt: 'attempt-1', kind: 'dialing', detail: null, at: openedAt },
          { attempt: 'attempt-1', kind: 'unknown', detail: 'it ended', at: foundAt },
        ],
      });
      expect(rulesOf(crashed(at - 2_500, at + 6_000))).not.toContain(rule);
      expect(rulesOf(crashed(at - 2_500, at + 1_000))).toContain(rule);
      expect(rulesOf(crashed(at - 60_000, at + 6_000))).toContain(rule);
    });

    it('accepts two calls in the part that is gone where the order allows them, and finds one after it', () => {
      const two = [create(), create({ seq: 2, call: 'call-2', at: at + 2_000 })];
      const ended = (first: string) => ({
        ends: new Map(),
        records: new Map(Object.entries({ 'call-1': first, 'call-2': 'busy', 'call-3': 'completed' })),
      });
      expect(rulesOf({ creates: two, mostAttempts: 2, ...ended('busy') })).toEqual([]);
      // Calls that the ledger of that time allowed are judged by the service's record.
      const rule = 'a number was called twice';
      expect(rulesOf({ creates: two, mostAttempts: 2, ...ended('completed') })).toContain(rule);
      expect(rulesOf({ creates: two, mostAttempts: 1, ...ended('busy') })).toContain(rule);
      // One was settled by its call id, so that one more attempt is allowed: three calls for two attempts.
      const three = [...two, create({ seq: 3, call: 'call-3', at: at + 10_000 })];
      const settled = (callId: string | null) => [
        attempt({ callId, state: callId ? 'done' : 'unknown' }),
        attempt({ id: 'attempt-2', callId: 'call-3' }),
      ];
      const again = { creates: three, mostAttempts: 2, ...ended('busy') };
      expect(rulesOf({ ...again, attempts: settled('call-2') })).not.toContain(rule);
      expect(rulesOf({ ...again, attempts: settled(null) })).toContain(rule);
      expect(rulesOf({ ...again, attempts: settled('call-2'), moves: [] })).toContain(rule);
      const four = [create({ seq: 0, call: 'call-0', at: at - 60_000 }), ...three];
      expect(rulesOf({ ...again, creates: four, attempts: settled('call-2') })).toContain(rule);
      const later = [create(), create({ seq: 2, call: 'call-2', at: at + 10_000 })];
      expect(rulesOf({ creates: later })).toContain('a number was called twice');
      expect(rulesOf({ creates: later, mostAttempts: 2 })).toContain('a number was called twice');
    });

    it('finds a call before it was confirmed, and a campaign that ran', () => {
      const rule = 'somebody was called, or a campaign ran, on a ledger that had lost history';
      expect(rulesOf({ creates: [create({ at: at + 4_000 })] })).not.toContain(rule);
      expect(rulesOf({ creates: [create({ at: at + 7_000 })] })).toContain(rule);
      expect(rulesOf({ losses: [{ ...loss, faults: ['march ran'] }] })).toContain(rule);
      const opened = { attempt: 'attempt-2', kind: 'dialing', detail: null, at: at + 7_000 };
      expect(rulesOf({ moves: [...marked.moves, opened] })).toContain(rule);
    });
  });

  it('accepts as many calls to a phone as the contact rules allow, and none sooner', () => {
    const policy = { calls: 2, perSeconds: 60, gapSeconds: 10 };
    const rule = 'a phone was called more often or sooner than the contact rules allow';
    const rulesOf = (...seconds: number[]) => {
      const creates = seconds.map((second, i) =>
        create({ seq: i + 1, call: `call-${i + 1}`, at: at + second * 1_000 }),
      );
      const ends = new Map(creates.map((entry) => [entry.call!, entry.at + 5_000]));
      return judge(evidence({ policy, sharing: 3, mostAttempts: 3, creates, ends })).map((each) => each.rule);
    };
    expect(rulesOf(0, 15, 60)).not.toContain(rule);
    expect(rulesOf(0, 15, 50)).toContain(rule);
    expect(rulesOf(0, 14)).toContain(rule);
  });

  it('accepts a second attempt only after a call that is known to have ended as busy', () => {
    const again = create({ seq: 2, call: 'call-2', at: at + 5_000 });
    const both = {
      mostAttempts: 2,
      creates: [create(), again],
      attempts: [
        attempt({ status: 'busy', outcome: 'busy' }),
        attempt({ id: 'attempt-2', callId: 'call-2' }),
      ],
      results: [result({ call_id: 'call-2' })],
    };
    const records = (first: string) => new Map(Object.entries({ 'call-1': first, 'call-2': 'completed' }));
    expect(judge(evidence({ ...both, records: records('busy') }))).toEqual([]);
    const rulesOf = (harm: Partial<Evidence>) =>
      judge(evidence({ ...both, ...harm })).map((violation) => violation.rule);
    expect(rulesOf({ records: records('completed') })).toContain('a number was called twice');
    const [first, second] = both.attempts;
    const doubtful = [{ ...first!, callId: null, state: 'unknown' }, second!];
    expect(rulesOf({ records: records('busy'), attempts: doubtful })).toContain('a number was called twice');
  });

  it('reports a campaign that is still moving as unfinished and does not judge its results', () => {
    const recipients = [recipient({ state: 'calling' })];
    const broken = judge(evidence({ ended: 'unsettled', recipients, results: [] }));
    expect(broken.map((violation) => violation.rule)).toEqual(['the campaign did not finish']);
  });

  it.each<[Rule, Partial<Evidence>]>([
    ['a number was called twice', { creates: [create(), create({ seq: 2, call: 'call-2' })] }],
    [
      'two calls to one phone overlapped',
      { creates: [create(), create({ seq: 2, at: at + 1_000, call: 'call-2' })], sharing: 2 },
    ],
    ['the service made a call that is not in the ledger', { creates: [create({ call: 'call-9' })] }],
    ['a row is lost, or is in two states', { recipients: [] }],
    ['a row is lost, or is in two states', { results: [] }],
    ['a row is lost, or is in two states', { recipients: [recipient({ state: 'calling', outcome: null })] }],
    ['a row is lost, or is in two states', { recipients: [recipient({ state: 'skipped', outcome: null })] }],
    ['somebody was dialled after a suppression', { recipients: [recipient({ suppressedAt: at })] }],
    [
      'somebody was dialled after a cancel, a pause or the end of the window',
      { bans: [{ why: 'canceled', from: at, to: Number.POSITIVE_INFINITY }] },
    ],
    [
      'somebody was dialled after a cancel, a pause or the end of the window',
      { bans: [{ why: 'closed', from: at - 5_000, to: Number.POSITIVE_INFINITY }] },
    ],
    [
      'a create that may have placed a call was not marked unknown',
      { creates: [create({ answer: 500, call: null }), create({ seq: 2 })] },
    ],
    ['an attempt is unknown without a reason', { ...lost, creates: [] }],
    ['the ledger’s audit fails', { audit: { code: 1, words: 'broken' } }],
    ['a queue is not empty', { queues: { dial: 1 } }],
    ['something is still running', { leftovers: ['worker 4'] }],
    ['two processes used one data directory', { breaches: ['a second process used the home'] }],
    [
      'a result differs from the ledger or the service',
      { results: [result({ outcome: 'busy', status: 'busy' })] },
    ],
    ['a result differs from the ledger or the service', { records: new Map([['call-1', 'voicemail']]) }],
  ])('finds that %s', (rule, harm) => {
    expect(judge(evidence(harm)).map((violation) => violation.rule)).toContain(rule);
  });
});
