import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Safeguards to remove one at a time, and what must notice each (mutate.ts). */
export type Change = { file: string; from: string; to: string };
export type Mutation = {
  name: string;
  changes: readonly Change[];
  /** The tests that must fail: a storm of these faults, and tests without randomness. */
  chaos: readonly string[] | null;
  tests: readonly string[];
  /** The second safeguard: because of it a storm is not expected to notice. */
  behind?: string;
};

/** Makes these changes in a copy of the sources. */
export function applyTo(copy: string, changes: readonly Change[]): void {
  for (const { file, from, to } of changes) {
    const path = join(copy, file);
    const text = readFileSync(path, 'utf8');
    if (!text.includes(from)) throw new Error(`${file} does not contain: ${from}`);
    writeFileSync(path, text.replace(from, to));
  }
}

export const fence = 'src/ledger/functions/open_attempts.sql';
const openAnyState: readonly Change[] = [
  {
    file: fence,
    from: "when a.state <> 'planned' or a.opens <> coalesce(w.opens, a.opens) then 'moved'",
    to: "when false then 'moved'",
  },
  {
    file: fence,
    from: " and a.state = 'planned' and a.opens = coalesce(w.opens, a.opens)",
    to: '',
  },
];
const dialAnyState: readonly Change[] = [
  {
    file: 'src/dispatch/dial.ts',
    from: "if (attempt.state !== 'planned') return",
    to: "if (attempt.state === 'done') return",
  },
  // The ledger's check of state changes is another safeguard.
  {
    file: 'src/ledger/functions/moves.sql',
    from: "    raise exception 'an attempt cannot move from % to %', old.state, new.state;",
    to: '    return new;',
  },
];
const unheld: Change = { file: fence, from: ' and j.id <> all (held)', to: '' };
const unerased: Change = { file: fence, from: 'j.id <> all (gone) and ', to: '' };
const stalledAgain: Change = {
  file: 'src/engine/contract.ts',
  from: 'maxStalledCount: 0,',
  to: 'maxStalledCount: 1,',
};

export const mutations: readonly Mutation[] = [
  {
    name: 'the compare-and-set is removed: an attempt is opened in any state',
    changes: openAnyState,
    chaos: null,
    tests: ['test/dispatch/dial.test.ts', 'test/ledger/open.test.ts'],
    behind: 'the dialer checks the state first, and the ledger refuses a wrong change of state',
  },
  {
    name: 'the compare-and-set is removed with the check before it and the ledger’s check of state changes',
    changes: [...openAnyState, ...dialAnyState],
    chaos: ['--engine', 'redis', '--seed', '3', '--faults', 'redis-kill,redis-snapshot', '--people', '600'],
    tests: ['test/dispatch/dial.test.ts', 'test/states.test.ts'],
    behind: 'an attempt has one job: the fault needs two at once, which a short storm seldom makes',
  },
  {
    name: 'a call that a run opens does not count for its limit',
    changes: [
      {
        file: fence,
        from: 'set calls_left = l.calls_left - cardinality(opened)',
        to: 'set calls_left = l.calls_left',
      },
    ],
    chaos: null,
    tests: ['test/ledger/open.test.ts'],
    behind: 'no process of a storm is a run with a limit',
  },
  {
    name: 'a campaign’s budget is judged before the lock: two processes spend the same money',
    changes: [
      {
        file: fence,
        from: 'or c.max_cost is not null or not c.proved',
        to: 'or not c.proved',
      },
    ],
    chaos: null,
    tests: ['test/ledger/budgets.test.ts'],
    behind: 'a storm’s processes seldom open the last calls that fit at the same moment',
  },
  {
    name: 'a service’s budget is judged before the lock: two processes spend the same money',
    changes: [
      {
        file: 'src/ledger/functions/budgets.sql',
        from: "perform pg_advisory_xact_lock(hashtext('carillon budget'), hashtext(service));",
        to: '',
      },
    ],
    chaos: null,
    tests: ['test/ledger/budgets.test.ts'],
    behind: 'a storm has one campaign, whose own budget ends first',
  },
  {
    name: 'an erased person is called: the fence does not look for erasures',
    changes: [unerased],
    chaos: null,
    tests: ['test/ledger/erase.test.ts'],
    behind: 'lists and single calls are checked when they come in',
  },
  {
    name: 'a person with two numbers is on two calls: an attempt keeps only the number that it calls',
    changes: [
      {
        file: 'src/ledger/functions/phones.sql',
        from: 'case when keeps is null then array[phone] else keeps end',
        to: 'array[phone]',
      },
    ],
    chaos: ['--engine', 'postgres', '--seed', '7', '--sharing', '2', '--numbers', '2', '--people', '600'],
    tests: ['test/ledger/several.test.ts'],
  },
  {
    name: 'a phone may be live twice: an attempt is opened while another has its phone',
    changes: [
      {
        file: fence,
        from: 'on conflict (phone) do nothing',
        to: 'on conflict (phone) do update set attempt_id = excluded.attempt_id',
      },
    ],
    chaos: null,
    tests: ['test/ledger/phones.test.ts'],
    behind: 'a storm has one campaign, in which each person has their own phone',
  },
  {
    name: 'the fence does not ask whether the history is whole',
    changes: [{ file: fence, from: 'if not carillon.is_sound() then', to: 'if false then' }],
    chaos: null,
    tests: ['test/dispatch/trust/last-seen.test.ts'],
    behind: 'a process that has looked dials nothing, whatever the fence says',
  },
  {
    name: 'a ledger that is behind what was last seen is taken for whole',
    changes: [
      {
        file: 'src/ledger/functions/lost_history.sql',
        from: "(known ->> 'beat')::bigint > coalesce(",
        to: "false and (known ->> 'beat')::bigint > coalesce(",
      },
    ],
    chaos: ['--engine', 'postgres', '--seed', '8', '--with', 'lost', '--people', '600'],
    tests: ['test/dispatch/trust/last-seen.test.ts'],
  },
  {
    name: 'the confirmation after lost history does not read the journals',
    changes: [
      {
        file: 'src/control/ledger/history.ts',
        from: 'const notes = await readNoted(deps.home);',
        to: 'const notes = (await readNoted(deps.home)).slice(0, 0);',
      },
    ],
    chaos: ['--engine', 'redis', '--seed', '6', '--with', 'lost', '--people', '600'],
    tests: ['test/journeys/restore.test.ts'],
  },
  {
    name: 'after lost history a journal’s silence still frees what was being dialled',
    changes: [
      {
        file: 'src/ledger/functions/lost_history.sql',
        from: 'set journal = null, sent = null',
        to: 'set sent = null',
      },
    ],
    chaos: null,
    tests: ['test/dispatch/disk/free-unsent.test.ts'],
    behind: 'a dialer must die between intent and note just before the backup; one round of three found it',
  },
  {
    name: 'the contact rules are not asked at the fence: only the planner asks them',
    changes: [unheld],
    chaos: null,
    tests: ['test/ledger/policy.test.ts'],
    behind: 'the planner asks the same rules, and two intents for one phone must meet within a moment',
  },
  {
    name: 'the contact rules are asked neither at the fence nor by the planner',
    changes: [
      unheld,
      {
        file: 'src/ledger/functions/policies.sql',
        from: 'where r.until > moment order',
        to: 'where false order',
      },
    ],
    chaos: ['--engine', 'postgres', '--seed', '9101', '--policy', '--people', '300'],
    tests: [],
  },
  {
    name: 'a caller number’s limit is judged outside the fence: only the planner looks at it',
    changes: [{ file: fence, from: '  if limits_numbers then', to: '  if false then' }],
    chaos: null,
    tests: ['test/ledger/caller-numbers.test.ts'],
    behind: 'the planner counts too: the fault needs two processes that plan at the same moment',
  },
  {
    name: 'a caller number is counted before it is locked',
    changes: [
      {
        file: 'src/ledger/functions/caller_numbers.sql',
        from: '  perform 1 from carillon.caller_numbers n where n.name = any (names) order by n.name for no key update;\n',
        to: '',
      },
    ],
    chaos: null,
    tests: ['test/ledger/caller-numbers.test.ts'],
    behind: 'the planner counts too: the fault needs two processes that open at the same moment',
  },
  {
    name: 'stalled jobs run again (BullMQ’s default maxStalledCount)',
    changes: [stalledAgain],
    chaos: null,
    tests: ['test/contract/engine.redis.test.ts', 'test/contract/engine.postgres.test.ts'],
    behind: 'the compare-and-set: a job that runs again finds its attempt dialing',
  },
  {
    name: 'lost counts as failed: a create without a readable answer is sent again',
    changes: [
      {
        file: 'src/dispatch/create-answer.ts',
        from: "        case 'lost': {\n",
        to: "        case 'lost': {\n          if (attempt.id) {\n            await withhold(attempt, true, fault.message);\n            return rest(100);\n          }\n",
      },
    ],
    chaos: ['--engine', 'postgres', '--seed', '27', '--faults', 'answers', '--people', '600'],
    tests: ['test/dispatch/create-answer.test.ts'],
  },
  {
    name: 'the reconciler is off',
    changes: [
      {
        file: 'src/dispatch/reconcile.ts',
        from: 'if (started) return station.round(gone);',
        to: 'if (started || gone) return;',
      },
      { file: 'src/dispatch/reconcile.ts', from: 'await station.start();', to: '' },
    ],
    chaos: ['--engine', 'redis', '--seed', '11', '--faults', 'redis-flush', '--people', '600'],
    tests: [],
  },
  {
    name: 'the wake check is removed: a dialer that was stopped posts when it wakes',
    changes: [
      {
        file: 'src/dispatch/dial.ts',
        from: 'late = sinceAsked() > wakeLimitMs;',
        to: 'late = sinceAsked() > wakeLimitMs * 1_000_000;',
      },
    ],
    chaos: ['--engine', 'postgres', '--seed', '10', '--faults', 'zombie', '--people', '1500'],
    tests: ['test/dispatch/dial.test.ts'],
    behind:
      'a request must wait for a connection while its process is stopped, which a short storm seldom makes',
  },
  {
    name: 'the note after the send: a create is noted only when its answer is there',
    changes: [
      {
        file: 'src/dispatch/dial.ts',
        from: '      unnoted = notes.note(attempt.id, attempt.ticket, noted);\n',
        to: '',
      },
      {
        file: 'src/dispatch/dial.ts',
        from: '    const answer = isInTime() && (await overdueOf(lane).follow(place, isWell));\n',
        to: '    const answer = isInTime() && (await overdueOf(lane).follow(place, isWell));\n    notes.note(attempt.id, attempt.ticket, noted);\n',
      },
    ],
    chaos: null,
    tests: ['test/dispatch/disk/free-unsent.test.ts'],
  },
  {
    name: 'the ticket is not checked: a repeated request takes back a later admission',
    changes: [
      {
        file: 'src/ledger/attempts/create-answers.sql',
        from: "    where a.id = x.id and a.state = 'dialing' and (x.ticket is null or a.ticket = x.ticket)",
        to: "    where a.id = x.id and a.state = 'dialing'",
      },
    ],
    chaos: null,
    tests: ['test/ledger/life.test.ts'],
    behind: 'ledger and queue must be lost together within one request',
  },
];
