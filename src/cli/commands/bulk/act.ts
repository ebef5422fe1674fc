import { CarillonError } from '../../../base/errors.ts';
import { beginBulk, type CountedBulk, stopBulk } from '../../../control/bulk/begin.ts';
import { type BulkDoer, createBulkDoer } from '../../../control/bulk/do.ts';
import type { ShownBulk } from '../../../control/bulk/show.ts';
import type { ServiceAccess } from '../../../control/service/access.ts';
import type { BulkVerb } from '../../../ledger/bulk/bulk.ts';
import type { LedgerOnly } from '../../../ledger-only.ts';
import { withoutKeys } from '../../../ledger-only.ts';
import type { Cli } from '../../command-io.ts';
import { agrees } from '../../confirm.ts';
import { type BulkFlags, filterOf } from '../../flags.ts';
import { count, people } from '../../output/summary.ts';
import { watchSignals } from '../../terminal/signals.ts';

/** One bulk act from the command line: counted, confirmed, and done in this process with a line of progress. */
const patienceMs = 10_000;
const tellMs = 5_000;

export async function actOn(cli: Cli, act: BulkVerb, options: object, flags: BulkFlags): Promise<void> {
  const body = { act, filter: filterOf(flags), ...options };
  // Only a finding about a call is checked at the service.
  const asks = 'as' in options && options.as === 'called';
  if (!asks) {
    return cli.withLedger((opened) => perform(opened, withoutKeys(opened, { note: cli.note })));
  }
  return cli.withApp((app) => perform(app, app.service({ note: cli.note, patienceMs })));

  async function perform(opened: LedgerOnly, service: ServiceAccess): Promise<void> {
    const { answer: counts } = await beginBulk(opened, { ...body, dry_run: true }, 'manual');
    if ('id' in counts) return;
    if (flags.dryRun && flags.json) return cli.json(counts);
    if (counts.people === 0 && !flags.json) return cli.out('The filter finds nobody.');
    // There is nothing to agree to if nobody is eligible.
    if (flags.dryRun || (counts.able === 0 && !flags.yes && !flags.json)) {
      const meant = `${questions[act]}: ${count(counts.able)} of ${people(counts.people)}. Nothing was changed.`;
      for (const line of [meant, ...tellPassed(counts.passed)]) cli.out(line);
      return;
    }
    if (!flags.yes && !(await agrees(cli, questionOf(act, counts)))) {
      return cli.note('Nothing was changed.');
    }
    // --yes agrees to any number.
    const confirm = flags.yes ? Number.MAX_SAFE_INTEGER : counts.people;
    const { answer: begun } = await beginBulk(opened, { ...body, confirm }, 'manual');
    if (!('id' in begun)) return;
    const ended = await work(cli, opened, createBulkDoer(service, opened), begun.id, flags.quiet);
    if (flags.json) cli.json(ended);
    else for (const line of tellBulk(ended)) cli.out(line);
    if (ended.state === 'failed') cli.exit(1);
  }
}

const questions: Record<BulkVerb, string> = {
  retry: 'Call again',
  skip: 'Take off their lists',
  suppress: 'Suppress the phones of',
  resolve: 'Resolve the unknown attempts of',
  export: 'Export',
};

function questionOf(act: BulkVerb, { people: all, able, passed }: CountedBulk): string {
  const who = able === all ? people(all) : `${count(able)} of ${people(all)}`;
  return [`${questions[act]} ${who}?`, ...tellPassed(passed)].join('; ').replaceAll(';   ', '; ');
}

/** Ctrl-C stops the act after the current piece. */
async function work(
  cli: Cli,
  opened: LedgerOnly,
  doer: BulkDoer,
  id: string,
  quiet = false,
): Promise<ShownBulk> {
  const signals = watchSignals();
  const progress = createProgress(cli, opened.clock);
  try {
    const shown = await doer.finish(id, signals.signal, quiet ? undefined : progress.tell);
    if (shown.state !== 'running') return shown;
    cli.exit(new CarillonError('interrupted').exit);
    return await stopBulk(opened, id);
  } finally {
    progress.end();
    signals.stop();
  }
}

/** On a terminal one line that is rewritten; in a log a line now and then. */
function createProgress(cli: Cli, clock: { monotonic(): number }) {
  const { stderr } = cli.io;
  let toldAt = clock.monotonic();
  let open = false;
  return {
    tell({ act, seen, people: all }: ShownBulk) {
      const line = `${act}: ${count(seen)} of ${people(all)}`;
      if (stderr.isTTY) {
        stderr.write(`\r${line}\u001b[K`);
        open = true;
      } else if (clock.monotonic() - toldAt > tellMs) {
        toldAt = clock.monotonic();
        cli.note(line);
      }
    },
    end() {
      if (open) stderr.write('\r\u001b[K');
    },
  };
}

/** The words for one person, and for several. */
const doneWords: Record<BulkVerb, [one: string, several: string]> = {
  retry: ['will be called again', 'will be called again'],
  skip: ['was taken off the list', 'were taken off their lists'],
  suppress: ['is suppressed', 'are suppressed'],
  resolve: ['is resolved', 'are resolved'],
  export: ['was exported', 'were exported'],
};

/** Why people are passed over, in words; a state is its own word. */
const passedWords: Record<string, string> = {
  changed: 'changed meanwhile, or no longer matched the filter',
  later: 'already wait for another attempt: `carillon bulk retry --now` makes it now',
  held: 'wait for another attempt, and a contact rule holds them',
  callback: 'asked to be called back, and wait for the time that they named',
  waiting: 'wait for their call already',
  done: 'are done',
  too_late: 'are being called: it is too late',
  too_early: 'have a request that may still be on its way: try again in a few minutes',
  called: 'have a call: resolve them as called',
  suppressed: 'are suppressed',
  removed: 'were removed from their list',
  single_call: 'are single calls',
  canceled: 'belong to canceled campaigns',
  elsewhere: 'belong to campaigns of another VOICE_BASE_URL',
  no_outcome: 'have no outcome',
  failed: 'could not be resolved: `carillon unknown resolve` tells why',
};

export function tellBulk({ id, act, state, reason, people: all, seen, done, passed }: ShownBulk): string[] {
  const stopped =
    state === 'stopped' || state === 'failed'
      ? [
          `${state === 'failed' ? 'Failed' : 'Stopped'} after ${count(seen)}: ${reason}. The finished part stays done.`,
        ]
      : [];
  const running = state === 'running' ? [`It is under way (${id}): ${count(seen)} of them so far.`] : [];
  return [
    `${count(done)} of ${people(all)} ${doneWords[act][done === 1 ? 0 : 1]}.`,
    ...tellPassed(passed),
    ...running,
    ...stopped,
  ];
}

export function tellPassed(passed: Record<string, number>): string[] {
  return Object.entries(passed).map(([why, n]) => `  ${count(n)} ${passedWords[why] ?? `are ${why}`}`);
}
