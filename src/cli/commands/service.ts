import type { Command } from 'commander';
import { showTrace } from '../../control/calls/course.ts';
import { readCall } from '../../control/calls/read.ts';
import {
  askService,
  type CheckedService,
  descriptionSchema,
  listServices,
  showService,
} from '../../control/service/services.ts';
import { followSingle, placeSingle } from '../../run/single-call.ts';
import { type Cli, command, group, required } from '../command-io.ts';
import { drawTrace } from '../output/call-lines.ts';
import { onApp } from '../reporting.ts';
import { watchSignals } from '../terminal/signals.ts';
import { type Columns, tableOf } from '../terminal/table.ts';

/** `carillon service`: the services that Carillon can drive, and whether one answers as it is described. */
export function serviceCommand(cli: Cli): Command {
  return group('service', 'VOICE_SERVICE=vapi carillon service check', [
    listCommand(cli),
    showCommand(cli),
    checkCommand(cli),
    tryCommand(cli),
  ]);
}

function listCommand(cli: Cli): Command {
  return command('list', 'List the services that VOICE_SERVICE may name.', 'carillon service list')
    .option('--json', 'print one JSON document')
    .action((flags: { json?: true }) => {
      const found = listServices();
      if (flags.json) return cli.json(found);
      const words = {
        find: 'finds unknown calls',
        hang_up: 'hangs up',
        numbers: 'lists numbers',
        agents: 'lists agents',
      };
      const columns: Columns<(typeof found.items)[number]> = {
        SERVICE: ({ name }) => name,
        NAME: ({ title }) => title,
        'READ ON': ({ read_on: on }) => on ?? '',
        IT: ({ can }) =>
          Object.entries(words)
            .flatMap(([ability, word]) => (can[ability] ? [word] : []))
            .join(', '),
      };
      for (const line of tableOf(columns, found.items, cli.width())) cli.out(line);
    });
}

function showCommand(cli: Cli): Command {
  return command(
    'show',
    'Print the description of a service, which a file of your own may extend.',
    'carillon service show vapi\ncarillon service show --schema > description.schema.json',
  )
    .argument('[name]', 'the service’s name')
    .option('--schema', 'print the JSON Schema of descriptions instead')
    .option('--json', 'print one JSON document, as always')
    .action((name: string | undefined, flags: { schema?: true }) => {
      const shown = flags.schema ? descriptionSchema() : showService(required(name, '<name>'));
      cli.out(JSON.stringify(shown, null, 2));
    });
}

function checkCommand(cli: Cli): Command {
  let title = '';
  return onApp(cli, {
    name: 'check',
    does: 'Ask the service for its numbers, its agents and one record, and show which fields were found.',
    example: 'carillon service check --call 5a1f0f6e-7a51-4f5c-9d0a-2f6c1c1d2e3f',
    takes: [
      [
        '--call <id>',
        'the call whose record is read, by its id at the service (default: a recent one in the ledger)',
      ],
    ],
    async find(app, { call }: { call?: string }) {
      title = app.described.description.title;
      const checked = await askService(app.service({ note: cli.note }), app.described, { call_id: call });
      if (checked.steps.some(({ state }) => state === 'fail')) cli.exit(1);
      return checked;
    },
    tell: (checked) => drawCheck(checked, title, cli.width()),
  });
}

function tryCommand(cli: Cli): Command {
  return command(
    'try',
    'Make one call to your own phone, and show each request, each answer, and each field that was read.',
    'carillon service try --agent agent_123 --to +14155550123 --from +14155550100',
  )
    .option('--agent <id>', 'the agent that speaks (required)')
    .option('--to <phone>', 'your own phone (required)')
    .option('--from <phone>', 'caller number in E.164 (default: the service chooses)')
    .option('--json', 'print one JSON document')
    .action(async (flags: { agent?: string; to?: string; from?: string; json?: true }) => {
      const order = await readCall({
        agent: required(flags.agent, '--agent <id>'),
        phone: required(flags.to, '--to <phone>'),
        from: flags.from,
      });
      const signals = watchSignals();
      try {
        await cli.withApp(async (app) => {
          const stations = app.stations({ dialer: app.dialer, campaignId: null, runId: null });
          const deps = {
            ledger: app.ledger,
            stations,
            permit: app.permit,
            by: 'service try',
            baseUrl: app.baseUrl,
            clock: app.clock,
            signal: signals.signal,
            note: cli.note,
          };
          const { report } = await placeSingle(order, deps);
          if (report === null) {
            cli.note('carillon: a contact rule holds the call; try again when it may be made.');
            return cli.exit(3);
          }
          const ended = report.state === 'placed' ? await followSingle(report.id, deps) : report;
          await stations.keepTraces();
          const service = app.service({ note: cli.note });
          const trace = await showTrace(service, report.id);
          const checked =
            ended.callId === null
              ? null
              : await askService(service, app.described, { call_id: ended.callId });
          if (flags.json) cli.json({ ...trace, fields: checked?.fields ?? [] });
          else {
            for (const line of drawTrace(trace)) cli.out(line);
            cli.out(`The call is ${ended.outcome ?? ended.state}${ended.detail ? `: ${ended.detail}` : ''}.`);
            if (checked) for (const line of drawFields(checked, cli.width())) cli.out(line);
          }
          cli.exit(ended.state === 'done' ? 0 : 3);
        });
      } finally {
        signals.stop();
      }
    });
}

const marks = { ok: 'ok  ', warn: 'warn', fail: 'fail' } as const;

function drawCheck(checked: CheckedService, title: string, width: number): string[] {
  return [
    `${title} (${checked.service}), with the key ${checked.key}`,
    ...checked.steps.map(({ what, state, detail }) => `${marks[state]}  ${what.padEnd(8)}  ${detail}`),
    ...drawFields(checked, width),
  ];
}

function drawFields({ fields }: CheckedService, width: number): string[] {
  if (fields.length === 0) return [];
  return ['', ...tableOf(fieldColumns, fields, width)];
}

const fieldColumns: Columns<CheckedService['fields'][number]> = {
  FIELD: ({ field }) => field,
  VALUE: ({ value }) => (value === null ? '-' : wordOf(value)),
  'READ AT': ({ at }) => at.join(', '),
};

function wordOf(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const line = text.replace(/\s+/g, ' ');
  return line.length > 60 ? `${line.slice(0, 59)}…` : line;
}
