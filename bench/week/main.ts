import { Command } from 'commander';
import { addOrderFlags, orderOf } from '../../src/cli/flags.ts';
import { timeText } from '../../src/cli/terminal/table.ts';
import { describeOrder, type OrderInput, readOrder } from '../../src/control/order/order.ts';
import { readPolicyFile } from '../../src/control/policies/set.ts';
import { parseMap } from '../../src/intake/columns.ts';
import { openCsv } from '../../src/intake/csv.ts';
import type { AcceptedRow, RejectedRow } from '../../src/intake/recipients.ts';
import { compileCalendar } from '../../src/rules/calendar/calendar.ts';
import { readPolicy } from '../../src/rules/policy/policy.ts';
import { personOf } from './people.ts';
import { tellWeek } from './tell.ts';

/** `npm run week -- people.csv ...`: a campaign with the options of `carillon run`, played in simulated time. */
const program = addOrderFlags(
  new Command('npm run week --')
    .description(
      'Play a campaign in simulated time: who would be called when, and who is held by which rule.',
    )
    .argument('<people.csv>')
    .requiredOption('--begin <time>', 'when it starts, such as 2026-11-23T15:00:00Z')
    .option('--policy <file.json>', 'contact rules')
    .option('--map <list>', 'columns, as in `carillon run`')
    .option('--suppressed <file.csv>', 'people who must not be called')
    .option('--rate <n>', 'requests a second of the key', '1')
    .option('--seed <n>', 'another seed gives other outcomes', '1'),
);

type Typed = {
  begin: string;
  policy?: string;
  map?: string;
  country?: string;
  suppressed?: string;
  rate: string;
  seed: string;
};

async function main(file: string, typed: Typed & Record<string, unknown>): Promise<void> {
  const order = readOrder(orderOf(typed) as OrderInput);
  const policy = typed.policy === undefined ? null : readPolicy(readPolicyFile(typed.policy).body);
  const calendar = compileCalendar(order.times, policy);
  const begin = Date.parse(typed.begin);
  if (Number.isNaN(begin)) throw new Error(`--begin ${typed.begin} is not a time.`);
  const { accepted, rejected } = await readList(file, {
    country: typed.country,
    timezone: order.timezone ?? undefined,
    map: typed.map === undefined ? undefined : parseMap(typed.map),
    calendar: () => calendar,
    now: begin,
  });
  const stop = typed.suppressed ? await readList(typed.suppressed, { country: typed.country }) : null;
  const barred = new Set(stop?.accepted.map(({ phone }) => phone));
  const people = accepted.map(personOf);
  for (const person of people) if (barred.has(person.phone)) person.state = 'skipped';
  const say = (line: string) => process.stdout.write(`${line}\n`);
  say(`It begins at ${timeText(new Date(begin))}: ${describeOrder(order).join('; ')}.`);
  const rest = { rate: Number(typed.rate), begin, seed: Number(typed.seed) };
  tellWeek({ order, policy, calendar, ...rest }, people, rejected, say);
}

async function readList(path: string, options: Parameters<typeof openCsv>[1]) {
  const intake = await openCsv({ path }, options);
  const all = { accepted: [] as AcceptedRow[], rejected: [] as RejectedRow[] };
  for await (const { accepted, rejected } of intake.batches) {
    all.accepted.push(...accepted);
    all.rejected.push(...rejected);
  }
  return all;
}

program.action(main);
try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`week: ${(error as Error).message}\n`);
  process.exitCode = 2;
}
