import type { Command } from 'commander';
import { maskPhone } from '../../base/log.ts';
import { callerText } from '../../control/order/tell.ts';
import { whys } from '../../control/resolve.ts';
import { showUnknown, willRedial } from '../../control/unknown.ts';
import type { Unknown } from '../../ledger/unknowns/verbs.ts';
import { type Cli, command } from '../cli.ts';
import { group } from '../group.ts';
import { factLines, timeText } from '../output/table.ts';
import { resolveCommand } from './unknown-resolve.ts';

/** `carillon unknown`: attempts of which nobody knows whether they called, and a person's word about them. */
export function unknownCommand(cli: Cli): Command {
  return group(
    'unknown',
    'List attempts that may have called somebody, and say whether they did.',
    'carillon unknown list',
    [listCommand(cli), resolveCommand(cli)],
  );
}

function listCommand(cli: Cli): Command {
  return command(
    'list',
    'List the attempts that wait for a person: what was sent, what came back, and why it is ambiguous.',
    'carillon unknown list --campaign march',
  )
    .option('--campaign <name>', 'of this campaign alone')
    .option('--json', 'print one JSON document')
    .action((options: { campaign?: string; json?: true }) =>
      cli.withBooks(async ({ ledger, config }) => {
        const campaign = options.campaign ? await ledger.campaigns.get(options.campaign) : null;
        const found = await ledger.unknowns.list(campaign?.id ?? null);
        if (options.json) return cli.json({ unknown: found.map((each) => showUnknown(each)) });
        if (found.length === 0) cli.out('Nothing is unknown.');
        for (const each of found) for (const line of drawUnknown(each)) cli.out(line);
        const service = campaign?.baseUrl ?? config.voice.baseUrl;
        if (service !== config.voice.baseUrl || !service) {
          cli.note(`Only what belongs to VOICE_BASE_URL (${config.voice.baseUrl ?? 'not set'}) is listed.`);
        }
      }),
    );
}

function drawUnknown(unknown: Unknown): string[] {
  const from = callerText(unknown.caller);
  const free = unknown.freeFrom;
  const name = unknown.name ? ` ${unknown.name}` : '';
  return [
    `${unknown.attempt}  ${unknown.campaign}, row ${unknown.row}: ${maskPhone(unknown.phone)}${name}`,
    ...factLines([
      [
        '  Sent',
        `${timeText(unknown.dialingAt)} with the key ${unknown.key}: a call by ${unknown.agent}${from ? ` from ${from}` : ''}`,
      ],
      ['  Came back', unknown.detail ?? 'nothing'],
      [
        '  Call',
        unknown.callId ? `${unknown.callId}, last seen ${unknown.status ?? 'without a status'}` : null,
      ],
      ['  Why', whys[unknown.reason]],
      [
        '  Settle it',
        unknown.callId
          ? `carillon unknown resolve ${unknown.attempt} --as called`
          : `carillon unknown resolve ${unknown.attempt} --as called [--call-id ID], or --as not-called from ${timeText(free)}`,
      ],
      [
        '  By itself',
        willRedial(unknown)
          ? `called again after ${timeText(free)}, as the campaign says (--on-unknown redial)`
          : null,
      ],
    ]),
    '',
  ];
}
