import type { Command } from 'commander';
import { CarillonError } from '../../base/errors.ts';
import {
  type ConfirmedLedger,
  confirmLedger,
  type LedgerToConfirm,
  showLedger,
  showToConfirm,
} from '../../control/ledger/history.ts';
import { confirmRemedy } from '../../dispatch/trust/last-seen.ts';
import { type Cli, command, given, group } from '../command-io.ts';
import { agrees } from '../confirm.ts';
import { counted } from '../output/summary.ts';
import { onLedger } from '../reporting.ts';

/** `carillon ledger`: whether its history is whole, and a person's confirmation if it is not. */
export function ledgerCommand(cli: Cli): Command {
  return group('ledger', 'carillon ledger show\ncarillon ledger confirm --lost-since 2026-11-22T18:00:00Z', [
    onLedger(cli, {
      name: 'show',
      does: 'Say whether the ledger’s history is whole.',
      example: 'carillon ledger show --json',
      find: ({ ledger }) => showLedger(ledger),
      tell: ({ state, why, known_until: until }) =>
        state === 'sound'
          ? 'The ledger’s history is whole.'
          : `${why}. Nobody is called. ${confirmRemedy(until)}`,
    }),
    confirmCommand(cli),
  ]);
}

type ConfirmFlags = { lostSince?: string; yes?: true; json?: true };

function confirmCommand(cli: Cli): Command {
  return command(
    'confirm',
    'Let campaigns call again after a restore or a failover that lost calls; people who may have been called become unknown.',
    'carillon ledger confirm --lost-since 2026-11-22T18:00:00Z\ncarillon ledger confirm --lost-since 2h\ncarillon ledger confirm --yes',
  )
    .option(
      '--lost-since <time>',
      'calls are missing since this time, or this span ago (2h): everyone whom a campaign would still call becomes unknown (default: only people noted on this machine)',
    )
    .option('--yes', 'do not ask (required in scripts)')
    .option('--json', 'print one JSON document')
    .action((flags: ConfirmFlags) =>
      cli.withLedger(async ({ ledger, config, clock }) => {
        const { lostSince: lost_since, yes, json } = given(flags);
        const deps = {
          ledger,
          home: config.home,
          deadlineMs: config.voice.callDeadlineMs,
          now: () => clock.now(),
        };
        const shown = await showToConfirm(deps, { lost_since });
        const first = shown.why === null ? [] : [`${shown.why}.`];
        const asks = !yes && (shown.state === 'lost' || lost_since !== undefined);
        if (!asks) for (const line of first) cli.note(line);
        else if (!(await agrees(cli, questionOf(shown, lost_since), { first })))
          throw new CarillonError('interrupted', 'Nothing was changed', {
            remedy: 'Run it again when you are sure.',
          });
        const done = await confirmLedger(deps, { lost_since });
        if (json) return cli.json(done);
        for (const line of tell(done, lost_since)) cli.out(line);
      }),
    );
}

function questionOf({ people }: LedgerToConfirm, since: string | undefined): string {
  if (since === undefined)
    return 'Let campaigns call again without marking anyone else who may have been called?';
  return `Mark as unknown ${counted(people, 'person', 'people')} whom a campaign would still call? They may have been called since ${since}.`;
}

function tell(done: ConfirmedLedger, since: string | undefined): string[] {
  if (!done.confirmed) return ['The ledger’s history is whole: there is nothing to confirm.'];
  const people = counted(done.marked, 'person is', 'people are');
  return [
    `Confirmed. ${people} unknown now; ${counted(done.noted, 'create was', 'creates were')} noted on this machine.`,
    ...done.campaigns.map(({ name, marked }) => `  ${name}: ${marked}`),
    ...missingLines(done),
    ...(since === undefined
      ? [
          'Calls that were made from other machines are not marked: compare with the service’s log before you resume.',
        ]
      : []),
    'Review: `carillon unknown list`. Campaigns stay paused: continue each with `carillon campaign resume NAME`.',
  ];
}

/** Lines about people whom the ledger does not have, and whom a list may bring in again. */
function missingLines({ missing, held }: Pick<ConfirmedLedger, 'missing' | 'held'>): string[] {
  const whom = (creates: number) =>
    `${counted(creates, 'create was', 'creates were')} to people who are not in the ledger`;
  return [
    ...(held > 0
      ? [`${whom(held)}: if one is imported again, they are unknown and not called until you settle them.`]
      : []),
    ...(missing > held
      ? [
          `${whom(missing - held)} and whose phones were not noted: check them in the service’s log before you import them again.`,
        ]
      : []),
  ];
}
