import type { Command } from 'commander';
import { CarillonError } from '../../../base/errors.ts';
import { cancelCall } from '../../../control/calls/cancel.ts';
import { showTrace } from '../../../control/calls/course.ts';
import { refreshCall } from '../../../control/calls/refresh.ts';
import { changeCall, fetchCall } from '../../../control/calls/service-record.ts';
import { type Cli, command } from '../../command-io.ts';
import { summaries } from '../../command-summaries.ts';
import { group } from '../../group.ts';
import { drawCall } from '../../output/call-lines.ts';
import { drawTrace } from '../../output/trace-lines.ts';
import { createCallCommand } from './create.ts';
import { judgeCommand } from './judge.ts';

/** `carillon call`: one call, made, looked at or changed by hand. */
export function callCommand(cli: Cli): Command {
  return group('call', summaries.call.does, 'carillon call create --agent agent_123 --phone +14155550123', [
    createCallCommand(cli),
    showCommand(cli),
    refreshCommand(cli),
    updateCommand(cli),
    cancelCommand(cli),
    judgeCommand(cli),
  ]);
}

function showCommand(cli: Cli): Command {
  return command(
    'show',
    'Show a call; while it is in progress, as the service reports it now.',
    'carillon call show 5a1f0f6e-7a51-4f5c-9d0a-2f6c1c1d2e3f',
  )
    .argument('<id>', 'the call’s id at the service, an attempt’s, or a recipient’s')
    .option('--trace', 'show each request and answer of the attempt, without the key')
    .option('--json', 'print one JSON document')
    .action((id: string, options: { json?: true; trace?: true }) =>
      cli.withApp(async (app) => {
        if (options.trace) {
          const shown = await showTrace(app.service({ note: cli.note }), id);
          if (options.json) return cli.json(shown);
          for (const line of drawTrace(shown)) cli.out(line);
          return;
        }
        const call = await fetchCall(app.service({ note: cli.note }), id);
        if (options.json) return cli.json(call);
        for (const line of drawCall(call, app.clock.now())) cli.out(line);
      }),
    );
}

function refreshCommand(cli: Cli): Command {
  return command(
    'refresh',
    'Ask the service now for a call’s record, and keep what is new: cost, transcript, recording, data.',
    'carillon call refresh 5a1f0f6e-7a51-4f5c-9d0a-2f6c1c1d2e3f',
  )
    .argument('<id>', 'the call’s id at the service, an attempt’s, or a recipient’s')
    .option('--json', 'print one JSON document')
    .action((id: string, options: { json?: true }) =>
      cli.withApp(async (app) => {
        const call = await refreshCall(app.service({ note: cli.note }), id);
        if (options.json) return cli.json(call);
        for (const line of drawCall(call, app.clock.now())) cli.out(line);
      }),
    );
}

function cancelCommand(cli: Cli): Command {
  return command(
    'cancel',
    'Hang up a call in progress, or withdraw one that is not yet dialled.',
    'carillon call cancel 5a1f0f6e-7a51-4f5c-9d0a-2f6c1c1d2e3f',
  )
    .argument('<id>', 'the call’s id at the service, an attempt’s, or a recipient’s')
    .option('--json', 'print one JSON document')
    .action((id: string, options: { json?: true }) =>
      cli.withApp(async (app) => {
        const call = await cancelCall(app.service({ note: cli.note }), id);
        if (options.json) return cli.json(call);
        cli.out(call.state === 'skipped' ? 'Withdrawn: nobody was called.' : 'The call was hung up.');
        for (const line of drawCall(call, app.clock.now())) cli.out(line);
      }),
    );
}

function updateCommand(cli: Cli): Command {
  return command(
    'update',
    'Change a call’s status or metadata at the service.',
    'carillon call update 5a1f0f6e-7a51-4f5c-9d0a-2f6c1c1d2e3f --status canceled\n' +
      'carillon call update 5a1f0f6e-7a51-4f5c-9d0a-2f6c1c1d2e3f --metadata \'{"ticket": "A-17"}\'',
  )
    .argument('<id>', 'the call’s id at the service, an attempt’s, or a recipient’s')
    .option('--status <status>', 'the status to set; `canceled` sends what the profile names for it')
    .option('--metadata <json>', 'a JSON object to send as the call’s metadata')
    .option('--json', 'print one JSON document')
    .action((id: string, options: { status?: string; metadata?: string; json?: true }) => {
      const metadata = options.metadata === undefined ? undefined : readMetadata(options.metadata);
      const status = options.status?.trim();
      if (!status && metadata === undefined) {
        throw new CarillonError('usage-invalid', '`carillon call update` needs something to change', {
          remedy: 'Give --status, --metadata or both.',
        });
      }
      return cli.withApp(async (app) => {
        const body = { ...(status ? { status } : {}), ...(metadata ? { metadata } : {}) };
        const call = await changeCall(app.service({ note: cli.note }), id, body);
        if (options.json) return cli.json(call);
        for (const line of drawCall(call, app.clock.now())) cli.out(line);
      });
    });
}

function readMetadata(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>;
  throw new CarillonError('usage-invalid', '--metadata is not a JSON object', {
    remedy: 'Give an object, for example --metadata \'{"ticket": "A-17"}\'.',
  });
}
