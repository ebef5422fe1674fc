import type { Command } from 'commander';
import { maskPhone } from '../../../base/log.ts';
import { listUnknown, type ShownUnknown } from '../../../control/unknowns/show.ts';
import { type Cli, command } from '../../command-io.ts';
import { group } from '../../group.ts';
import { listing } from '../../reporting.ts';
import { factLines, timeText } from '../../terminal/table.ts';
import { resolveCommand } from './resolve.ts';

/** `carillon unknown`: lists attempts that may have called or whose call has no end, and lets a person settle them. */
export function unknownCommand(cli: Cli): Command {
  return group('unknown', 'carillon unknown list', [listCommand(cli), resolveCommand(cli)]);
}

function listCommand(cli: Cli): Command {
  const made = command(
    'list',
    'List the attempts that need a decision: what was sent, what came back, and why the outcome is unknown.',
    'carillon unknown list --campaign march',
  ).option('--campaign <name>', 'only those of this campaign');
  return listing(cli, made, {
    read: ({ ledger }, page, { campaign }: { campaign?: string }) =>
      listUnknown(ledger, { ...page, campaign }),
    none() {
      if (!cli.config().voice.baseUrl) cli.note('VOICE_BASE_URL is not set, so no calls can be listed.');
      return 'There are no unknown attempts.';
    },
    draw: drawUnknown,
  });
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
