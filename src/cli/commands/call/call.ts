import { CarillonError } from '../../../base/errors.ts';
import { cancelCall, refreshCall } from '../../../control/calls/acts.ts';
import { showTrace } from '../../../control/calls/course.ts';
import { type FirstAnswer, judgeCall, listFirst } from '../../../control/calls/judge.ts';
import { changeCall, fetchCall } from '../../../control/calls/service-record.ts';
import { isObject } from '../../../intake/json-values.ts';
import { judgements } from '../../../ledger/judgements/judgements.ts';
import { oneOf } from '../../closed-lists.ts';
import { type Cli, type Command, group } from '../../command-io.ts';
import { drawCall, drawTrace } from '../../output/call-lines.ts';
import { count, counted } from '../../output/summary.ts';
import { onApp, onLedger } from '../../reporting.ts';
import { type Columns, tableOf } from '../../terminal/table.ts';
import { createCallCommand } from './create.ts';

/** `carillon call`: one call, made, looked at or changed by hand. */
export function callCommand(cli: Cli): Command {
  return group('call', 'carillon call create --agent agent_123 --phone +14155550123', [
    createCallCommand(cli),
    onApp(cli, {
      name: 'show',
      does: 'Show a call; while it is in progress, as the service reports it now.',
      example: `carillon call show ${exampleId}`,
      takes: [idArgument, ['--trace', 'show each request and answer of the attempt, without the key']],
      async find(app, id: string, { trace }: { trace?: true }) {
        const service = app.service({ note: cli.note });
        return trace ? showTrace(service, id) : fetchCall(service, id);
      },
      tell: (shown) => ('exchanges' in shown ? drawTrace(shown) : drawCall(shown, Date.now())),
    }),
    onApp(cli, {
      name: 'refresh',
      does: 'Ask the service now for a call’s record, and keep what is new: cost, transcript, recording, data.',
      example: `carillon call refresh ${exampleId}`,
      takes: [idArgument],
      find: (app, id: string) => refreshCall(app.service({ note: cli.note }), id),
      tell: (call) => drawCall(call, Date.now()),
    }),
    onApp(cli, {
      name: 'update',
      does: 'Change a call’s status or metadata at the service.',
      example:
        `carillon call update ${exampleId} --status canceled\n` +
        `carillon call update ${exampleId} --metadata '{"ticket": "A-17"}'`,
      takes: [
        idArgument,
        ['--status <status>', 'the status to set; `canceled` sends what the profile names for it'],
        ['--metadata <json>', 'a JSON object to send as the call’s metadata'],
      ],
      find: (app, id: string, flags: UpdateFlags) =>
        changeCall(app.service({ note: cli.note }), id, changeOf(flags)),
      tell: (call) => drawCall(call, Date.now()),
      check: ([, flags]) => changeOf(flags),
    }),
    onApp(cli, {
      name: 'cancel',
      does: 'Hang up a call in progress, or withdraw one that is not yet dialled.',
      example: `carillon call cancel ${exampleId}`,
      takes: [idArgument],
      find: (app, id: string) => cancelCall(app.service({ note: cli.note }), id),
      tell: (call) => [
        call.state === 'skipped' ? 'Withdrawn: nobody was called.' : 'The call was hung up.',
        ...drawCall(call, Date.now()),
      ],
    }),
    onLedger(cli, {
      name: 'judge',
      does: 'Judge a call that you listened to; `opt-out` suppresses the person for every campaign.',
      example:
        'carillon call judge 0b9f6c5e-4f0c-4a0e-8f39-0f0a3c1c9a11 --as fine\n' +
        'carillon call judge 0b9f6c5e-4f0c-4a0e-8f39-0f0a3c1c9a11 --as wrong --note "it named another clinic"',
      takes: [
        ['<attempt>', 'the attempt’s id, as `carillon campaign first` lists it'],
        oneOf('--as <judgement>', 'your judgement', judgements).makeOptionMandatory(),
        ['--note <text>', 'why, in a few words'],
      ],
      find: (opened, attempt: string, { as, note }: { as: string; note?: string }) =>
        judgeCall(opened, attempt, { as, ...(note && { note }) }),
      tell: ({ as }) => (as === 'opt-out' ? 'Kept: nobody calls this person any more.' : `Kept: ${as}.`),
    }),
  ]);
}

const exampleId = '5a1f0f6e-7a51-4f5c-9d0a-2f6c1c1d2e3f';
const idArgument = ['<id>', 'the call’s id at the service, an attempt’s, or a recipient’s'] as const;

type UpdateFlags = { status?: string; metadata?: string };

function changeOf({ status, metadata }: UpdateFlags): object {
  const change = {
    ...(status?.trim() && { status: status.trim() }),
    ...(metadata !== undefined && { metadata: readMetadata(metadata) }),
  };
  if (Object.keys(change).length > 0) return change;
  throw new CarillonError('usage-invalid', '`carillon call update` needs something to change', {
    remedy: 'Give --status, --metadata or both.',
  });
}

function readMetadata(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  if (isObject(value)) return value;
  throw new CarillonError('usage-invalid', '--metadata is not a JSON object', {
    remedy: 'Give an object, for example --metadata \'{"ticket": "A-17"}\'.',
  });
}

/** `carillon campaign first`: the calls to listen to, and what was heard. */
export function firstCommand(cli: Cli): Command {
  return onLedger(cli, {
    name: 'first',
    does: 'List the calls to the first people, with each listener’s judgement.',
    example: 'carillon campaign first march\ncarillon campaign first march --said "wrong number"',
    takes: [
      ['<name>', 'the campaign’s name, or its id'],
      ['--said <text>', 'only calls whose transcript contains this'],
    ],
    find: ({ ledger }, name: string, { said }: { said?: string }) =>
      listFirst({ ledger }, name, { limit: 1_000, ...(said && { said }) }),
    tell: (answer, [, { said }]) => drawFirst(answer, said, cli.width()),
  });
}

const firstColumns: Columns<FirstAnswer['items'][number]> = {
  row: ({ row }) => row,
  phone: ({ phone }) => phone,
  name: ({ name }) => name,
  outcome: ({ outcome }) => outcome,
  judgement: ({ judgement }) => judgement?.as ?? '-',
  attempt: ({ attempt }) => attempt,
  note: ({ judgement }) => judgement?.note ?? null,
};

function drawFirst({ items, judged }: FirstAnswer, said: string | undefined, width: number): string[] {
  const { fine, wrong, opt_out: optOut, left } = judged;
  if (fine + wrong + optOut + left === 0)
    return [
      'Nobody has spoken in a call to its first people yet. `--first N` makes a campaign pause after N people.',
    ];
  return [
    `${counted(left, 'call')} to judge; ${count(fine)} fine, ${count(wrong)} wrong, ${count(optOut)} opted out.`,
    ...(items.length === 0 ? [`No transcript contains “${said}”.`] : tableOf(firstColumns, items, width)),
  ];
}
