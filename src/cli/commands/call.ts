import type { Command } from 'commander';
import type { App } from '../../app.ts';
import { CarillonError } from '../../base/errors.ts';
import { ask, faultError } from '../../lane/ask.ts';
import type { AttemptReport } from '../../ledger/reports/verbs.ts';
import type { Answer, VoiceClient } from '../../voice/client.ts';
import { normaliseStatus } from '../../voice/outcomes.ts';
import { cancelBody, outcomeOf } from '../../voice/profile.ts';
import type { CallRecord } from '../../voice/wire.ts';
import { type Cli, command } from '../cli.ts';
import { group } from '../group.ts';
import { duration } from '../output/summary.ts';
import { factLines } from '../output/table.ts';
import { createCallCommand } from './call-create.ts';

/** `carillon call`: one call, made, looked at or changed by hand. */
export function callCommand(cli: Cli): Command {
  return group(
    'call',
    'Make one call, look at one, or change one.',
    'carillon call create --agent agent_123 --to +14155550123',
    [createCallCommand(cli), showCommand(cli), updateCommand(cli)],
  );
}

function showCommand(cli: Cli): Command {
  return command(
    'show',
    'Fetch a call from the service.',
    'carillon call show 5a1f0f6e-7a51-4f5c-9d0a-2f6c1c1d2e3f',
  )
    .argument('<id>', 'the call’s id at the service')
    .option('--json', 'print one JSON document: the service’s record, and what the ledger knows of it')
    .action((id: string, options: { json?: true }) =>
      cli.withApp(async (app) => {
        const found = await askOwner(app, cli, id, 'cannot be fetched', (client) => client.getCall(id));
        tell(cli, app, found, options.json === true);
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
    .argument('<id>', 'the call’s id at the service')
    .option('--status <status>', 'the status to set; canceled sends what the profile says cancels a call')
    .option('--metadata <json>', 'a JSON object that is sent as the call’s metadata')
    .option('--json', 'print one JSON document')
    .action((id: string, options: { status?: string; metadata?: string; json?: true }) => {
      const metadata = options.metadata === undefined ? undefined : readMetadata(options.metadata);
      const status = options.status?.trim();
      if (!status && metadata === undefined) {
        throw new CarillonError('usage-invalid', 'carillon call update was given nothing to change', {
          remedy: 'Give --status, --metadata or both.',
        });
      }
      return cli.withApp(async (app) => {
        const change = !status
          ? {}
          : normaliseStatus(status) === 'canceled'
            ? cancelBody(app.profile)
            : { status };
        const body = { ...change, ...(metadata ? { metadata } : {}) };
        const found = await askOwner(app, cli, id, 'cannot be changed', (client) =>
          client.updateCall(id, body),
        );
        tell(cli, app, found, options.json === true);
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

type Found = { record: CallRecord; key: string; report: AttemptReport | null };

/** The key that made the call is asked; where the ledger knows none, each key in turn. */
async function askOwner(
  app: App,
  cli: Cli,
  id: string,
  what: string,
  send: (client: VoiceClient) => Promise<Answer<CallRecord>>,
): Promise<Found> {
  const attempt = await app.ledger.reports.attemptOf(app.baseUrl, id);
  const report = attempt ? await app.ledger.reports.attempt(attempt) : null;
  const owner = app.lanes.filter((lane) => lane.id === report?.laneId);
  let missing: CarillonError | null = null;
  for (const lane of owner.length > 0 ? owner : app.lanes) {
    const answer = await ask(lane, { clock: app.clock, note: cli.note }, send);
    if (answer.ok) return { record: answer.value, key: lane.name, report };
    const { fault } = answer;
    if (fault.kind === 'refused' && fault.status === 404) {
      missing ??= new CarillonError('call-unknown', `The service knows no call ${id}: ${fault.message}`);
      continue;
    }
    throw faultError(fault, lane.name, `The call ${id} ${what}`);
  }
  throw missing;
}

function tell(cli: Cli, app: App, { record, key, report }: Found, json: boolean): void {
  const outcome = outcomeOf(app.profile, record.status);
  if (json) {
    const known = report
      ? { campaign: report.campaign, attempt: report.id, row: report.row, state: report.recipientState }
      : null;
    cli.json({ ...record, carillon: { key, outcome, ...known } });
    return;
  }
  for (const line of drawCall(record, outcome, key, report)) cli.out(line);
}

function drawCall(
  record: CallRecord,
  outcome: string | null,
  key: string,
  report: AttemptReport | null,
): string[] {
  const status = record.status ?? 'not told';
  return [
    `Call ${record.id} is ${outcome && outcome !== status ? `${status} (${outcome})` : status}`,
    ...factLines([
      ['Phone', record.phone_number ?? null],
      ['Direction', record.direction ?? null],
      ['Agent', record.agent_id ?? null],
      ['Key', key],
      [
        'Campaign',
        report ? `${report.campaign}, row ${report.row}, which is ${report.recipientState}` : null,
      ],
      ['Duration', typeof record.duration === 'number' ? duration(record.duration) : null],
      ['Cost', typeof record.cost === 'number' ? String(record.cost) : null],
      ['Made', record.created_at ?? null],
      ['Changed', record.updated_at ?? null],
      ['Recording', record.recording_url ?? null],
      ['Metadata', record.metadata ? JSON.stringify(record.metadata) : null],
      ['Data', record.structured_data ? JSON.stringify(record.structured_data) : null],
    ]),
    ...(record.transcript ? ['', record.transcript] : []),
  ];
}
