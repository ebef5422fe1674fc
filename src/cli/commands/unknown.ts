import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { CarillonError } from '../../base/errors.ts';
import { maskPhone } from '../../base/log.ts';
import type { ServiceAccess } from '../../control/service/access.ts';
import {
  findUnknowns,
  type NamedUnknown,
  resolveUnknown,
  resolveUnknowns,
  type Settled,
} from '../../control/unknowns/resolve.ts';
import { listUnknown, type ShownUnknown } from '../../control/unknowns/show.ts';
import { createRecordReader } from '../../intake/records.ts';
import { unreadable } from '../../intake/source.ts';
import { withoutKeys } from '../../ledger-only.ts';
import { oneOf } from '../closed-lists.ts';
import { type Cli, command, given, group } from '../command-io.ts';
import { agrees } from '../confirm.ts';
import { count, counted } from '../output/summary.ts';
import { listing } from '../reporting.ts';
import { factLines, timeText } from '../terminal/table.ts';

/** `carillon unknown`: lists attempts that may have called or whose call has no end, and lets a person settle them. */
export function unknownCommand(cli: Cli): Command {
  return group('unknown', 'carillon unknown list', [
    listing(cli, {
      name: 'list',
      does: 'List the attempts that need a decision: what was sent, what came back, and why the outcome is unknown.',
      example: 'carillon unknown list --campaign march',
      takes: [['--campaign <name>', 'only those of this campaign']],
      read: ({ ledger }, page, { campaign }: { campaign?: string }) =>
        listUnknown(ledger, { ...page, campaign }),
      none() {
        if (!cli.config().voice.baseUrl) cli.note('VOICE_BASE_URL is not set, so no calls can be listed.');
        return 'There are no unknown attempts.';
      },
      draw: drawUnknown,
    }),
    resolveCommand(cli),
  ]);
}

function drawUnknown(unknown: ShownUnknown): string[] {
  const { from, call_id: callId, redial } = unknown;
  const name = unknown.name ? ` ${unknown.name}` : '';
  const free = unknown.not_called_from;
  return [
    `${unknown.attempt}  ${unknown.campaign}, row ${unknown.row}: ${maskPhone(unknown.phone)}${name}`,
    ...factLines([
      [
        '  Sent',
        `${timeText(unknown.dialing_at)} with the key ${unknown.key}: a call${unknown.agent === null ? '' : ` by ${unknown.agent}`}${from ? ` from ${from}` : ''}`,
      ],
      ['  Came back', unknown.detail ?? 'nothing'],
      ['  Call', callId ? `${callId}, last seen ${unknown.status ?? 'without a status'}` : null],
      ['  Why', unknown.why],
      ['  Asked', askedWords(unknown.asked)],
      [
        '  Resolve',
        free === null
          ? `carillon unknown resolve ${unknown.attempt} --as called${callId ? '' : ' [--call-id ID]'}`
          : `carillon unknown resolve ${unknown.attempt} --as called [--call-id ID], or --as not-called from ${timeText(free)}`,
      ],
      [
        '  Otherwise',
        redial && free
          ? `called again after ${timeText(free)}, as the campaign says (--on-unknown redial)`
          : null,
      ],
    ]),
    '',
  ];
}

/** The result of asking for the service's own list of calls. */
function askedWords(asked: ShownUnknown['asked']): string | null {
  if (asked === null) return null;
  const times = asked.times === 1 ? 'once' : `${asked.times} times`;
  const calls = asked.calls.length > 0 ? `: ${asked.calls.join(', ')}` : '';
  const next = asked.next ? `, again ${timeText(asked.next)}` : '';
  return `${times}, last ${asked.last ? timeText(asked.last) : 'never'}${next}: ${asked.why ?? ''}${calls}`;
}

/** `carillon unknown resolve`: settles one attempt or many, once a person has found out what happened. */
export function resolveCommand(cli: Cli): Command {
  return command(
    'resolve',
    'Record whether unknown attempts called someone; a person who was not called may be tried again.',
    'carillon unknown resolve 0b9f6c5e-4f0c-4a0e-8f39-0f0a3c1c9a11 --as not-called\n' +
      'carillon unknown resolve 0b9f6c5e-4f0c-4a0e-8f39-0f0a3c1c9a11 --as called --call-id 5a1f0f6e-7a51\n' +
      'carillon unknown resolve --campaign march --as not-called --reason "the service confirmed its outage"',
  )
    .argument('[attempt]', 'the attempt’s id, as `carillon unknown list` shows it')
    .addOption(oneOf('--as <what>', 'what was found out', ['not-called', 'called']).makeOptionMandatory())
    .option('--call-id <id>', 'with --as called: the call’s id at the service, so that its result is fetched')
    .option(
      '--force',
      'with --as not-called: even if the service began to answer that it made the call (may call twice)',
    )
    .option('--campaign <name>', 'every unknown attempt of this campaign')
    .option('--all', 'every unknown attempt')
    .option(
      '--file <file>',
      'the attempts in a CSV file with a column attempt, and call_id where it is known',
    )
    .option('--reason <text>', 'how it was found out, for anyone who reads the history')
    .option('--yes', 'do not ask before resolving many (required in scripts)')
    .option('--json', 'print one JSON document')
    .action(async (id: string | undefined, flags: ResolveFlags) => {
      checkFlags(id, flags);
      const attempts = flags.file === undefined ? null : readFindings(flags.file, cli.io.cwd);
      const { voice } = cli.config();
      // The service is asked only for a call's record; the rest concerns only the ledger.
      const asks = flags.as === 'called' && voice.baseUrl !== undefined && voice.keys.length > 0;
      const work = async (service: ServiceAccess) => {
        if (id === undefined) await resolveMany(cli, service, flags, attempts);
        else await resolveOne(cli, service, id, flags);
      };
      const { note } = cli;
      if (asks) await cli.withApp((app) => work(app.service({ note })));
      else await cli.withLedger((opened) => work(withoutKeys(opened, { note })));
    });
}

function checkFlags(id: string | undefined, flags: ResolveFlags): void {
  const given = [id, flags.campaign, flags.all, flags.file].filter((each) => each !== undefined).length;
  if (given !== 1) {
    throw new CarillonError('usage-invalid', 'It is not clear which attempts are meant', {
      remedy: 'Give one attempt’s id, or --campaign NAME, or --file CSV, or --all.',
    });
  }
  if (flags.callId !== undefined && (flags.as === 'not-called' || id === undefined)) {
    throw new CarillonError(
      'usage-invalid',
      flags.as === 'not-called'
        ? '--call-id was given with --as not-called'
        : '--call-id was given without an attempt',
      { remedy: 'A call that has an id was made: give its attempt, and --as called.' },
    );
  }
}

async function resolveOne(cli: Cli, service: ServiceAccess, id: string, flags: ResolveFlags): Promise<void> {
  const { as, callId, reason, force } = given(flags);
  const after = await resolveUnknown(service, id, { as, call_id: callId, reason, force });
  if (flags.json) cli.json(after);
  else for (const line of tell(after)) cli.out(line);
}

function tell(after: Settled): string[] {
  const who = `${after.phone} (${after.campaign}, row ${after.row})`;
  const again = after.recipient_state === 'waiting' ? '; the next attempt waits' : '';
  if (after.state === 'done') {
    return [
      `${who} was called${after.outcome ? `: ${after.outcome}` : '; its outcome is not known'}${again}.`,
    ];
  }
  if (after.state === 'placed') {
    return [
      `${who} was called as ${after.call_id}, which is still in progress; \`carillon up\` or a run follows it to its end.`,
    ];
  }
  if (after.recipient_state === 'skipped') {
    return [`${who} was not called and will not be: canceled or suppressed.`];
  }
  const rests = after.campaign_state !== 'running';
  return [
    `${who} was not called and waits to be tried again.`,
    ...(rests
      ? [`${after.campaign} is ${after.campaign_state}: continue it with \`carillon campaign resume\`.`]
      : []),
  ];
}

/** Settles many unknown attempts at once: those of a campaign, all of them, or those in a file. */
type ResolveFlags = {
  as: 'called' | 'not-called';
  callId?: string;
  campaign?: string;
  all?: true;
  file?: string;
  reason?: string;
  force?: true;
  yes?: true;
  json?: true;
};

/** How many that could not be settled are listed one by one. */
const mostTold = 10;

async function resolveMany(
  cli: Cli,
  service: ServiceAccess,
  flags: ResolveFlags,
  attempts: NamedUnknown[] | null,
): Promise<void> {
  const { as, reason, campaign, all, force } = given(flags);
  const found = attempts ?? (await findUnknowns(service.ledger, { as, force, campaign, all }));
  const matched = found.length;
  const where = campaign ? ` of ${campaign}` : '';
  if (matched > 0 && !flags.yes) {
    const what =
      as === 'called'
        ? 'as called? Nobody is called again.'
        : 'as not called? These people may be called again.';
    if (!(await agrees(cli, `Resolve ${counted(matched, 'unknown attempt')}${where} ${what}`))) {
      cli.note('Nothing was changed.');
      return;
    }
  }
  const done =
    matched === 0
      ? { as, matched, resolved: 0, failed: [] }
      : await resolveUnknowns(service, { as, force, reason, attempts: found });
  const { resolved, failed } = done;
  if (failed.length > 0) cli.exit(3);
  if (flags.json) return cli.json(done);
  if (matched === 0) cli.out(`There are no unknown attempts${where}.`);
  else
    cli.out(`Resolved ${count(resolved)} of ${counted(done.matched, 'unknown attempt')}${where} as ${as}.`);
  for (const each of failed.slice(0, mostTold)) cli.out(`${each.attempt}: ${each.detail}.`);
  if (failed.length > mostTold)
    cli.out(`And ${count(failed.length - mostTold)} more; --json names them all.`);
  if (failed.length > 0 && as === 'not-called')
    cli.note('`carillon unknown list` shows when each can be resolved as not called.');
}

/** A CSV with a column `attempt`, and `call_id` where it is known. */
function readFindings(path: string, cwd: string): NamedUnknown[] {
  let text: string;
  try {
    text = readFileSync(resolve(cwd, path), 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    throw unreadable(path, error);
  }
  const [header, ...rows] = createRecordReader(',', path).read(text, true);
  const columns = (header?.cells ?? []).map((cell) => cell.trim().toLowerCase());
  const attempt = columns.indexOf('attempt');
  const callId = columns.indexOf('call_id');
  if (attempt < 0) {
    throw new CarillonError('file-broken', `${path} has no column named attempt`, {
      remedy:
        'Give a CSV with the columns attempt and call_id, as `carillon unknown list --json` names them.',
    });
  }
  return rows
    .filter((row) => row.cells.some((cell) => cell.trim()))
    .map((row) => {
      const id = row.cells[attempt]?.trim() ?? '';
      const call = callId < 0 ? '' : (row.cells[callId]?.trim() ?? '');
      if (!id || row.fault) {
        throw new CarillonError(
          'file-broken',
          `${path}, line ${row.line}: ${row.fault ?? 'the attempt is missing'}`,
        );
      }
      return { attempt: id, call_id: call || undefined };
    });
}
