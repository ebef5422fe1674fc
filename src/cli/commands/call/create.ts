import type { Command } from 'commander';
import type { App } from '../../../app.ts';
import { CarillonError } from '../../../base/errors.ts';
import { quoteWord } from '../../../base/terminal-safe.ts';
import { readCall } from '../../../control/calls/read.ts';
import { type ShownCall, shownCall } from '../../../control/calls/show.ts';
import { checkOverride } from '../../../control/service/access.ts';
import { readJsonFile } from '../../../intake/json-values.ts';
import type { AttemptReport } from '../../../ledger/reports/reports.ts';
import { followSingle, placeSingle, type SingleDeps } from '../../../run/single-call.ts';
import { type Cli, command, given, required, userName } from '../../command-io.ts';
import { readVariables, several } from '../../flags.ts';
import { waitingCall } from '../../output/call-lines.ts';
import { duration } from '../../output/summary.ts';
import { watchSignals } from '../../terminal/signals.ts';
import { factLines } from '../../terminal/table.ts';

/** `carillon call create`: one person is called now, at most once, whatever fails on the way. */
type Flags = {
  agent?: string;
  phone?: string;
  to?: string;
  from?: string;
  numberId?: string;
  name?: string;
  variable?: string[];
  override?: string;
  country?: string;
  ignorePolicy?: true;
  wait?: true;
  json?: true;
};

export function createCallCommand(cli: Cli): Command {
  return (
    command(
      'create',
      'Call one person now.',
      'carillon call create --agent agent_123 --phone +14155550123 --from +14155550100 --wait',
    )
      .option('--agent <id>', 'the agent that speaks (required)')
      .option('--phone <phone>', 'the person’s phone number (required)')
      .option('--to <phone>', 'the same as --phone')
      .option('--from <phone>', 'caller number in E.164 (default: the service chooses)')
      .option('--number-id <id>', 'caller number by its id at the service')
      .option('--name <name>', 'the person’s name')
      .option(
        '--variable <name=value>',
        'a variable of the call, as text; may be given several times',
        several,
      )
      .option('--override <file>', 'a JSON file of the agent’s settings that this call overrides')
      .option('--country <code>', 'country of a number in national form, such as US')
      .option('--ignore-policy', 'ignore the contact rules for this call; the activity records this')
      .option('--wait', 'follow the call to its end and print the result')
      .option('--json', 'print one JSON document')
      // Without this, commander only counts the arguments.
      .allowExcessArguments(true)
      .action(async (flags: Flags, self: Command) => {
        refuseBare(self.args);
        const { agent, phone, to, name, from, numberId, variable, override, country } = given(flags);
        const order = await readCall({
          agent: required(agent, '--agent <id>'),
          phone: required(phoneOf(phone, to), '--phone <phone>'),
          name: name?.trim() || undefined,
          from,
          number_id: numberId,
          variables: variable && readVariables(variable, ''),
          override: override === undefined ? undefined : readJsonFile(override),
          country,
          ignore_policy: flags.ignorePolicy,
        });
        const signals = watchSignals();
        try {
          await cli.withApp(async (app) => {
            checkOverride(app.service({ note: cli.note }), order.override);
            await enforceRules(app, cli);
            const deps: SingleDeps = {
              ledger: app.ledger,
              stations: app.stations({ dialer: app.dialer, campaignId: null, runId: null }),
              permit: app.permit,
              by: `${userName()} on the command line`,
              baseUrl: app.baseUrl,
              clock: app.clock,
              signal: signals.signal,
              note: cli.note,
            };
            const { report: placed, waits } = await placeSingle(order, deps);
            if (placed === null) {
              return tellWait(cli, await shownCall(app, waits), app.clock.now(), flags.json);
            }
            const report =
              flags.wait && placed.state === 'placed' ? await followSingle(placed.id, deps) : placed;
            // The service took the call and had no room for it: it is dialled later, as if nothing had been sent.
            if (report.state === 'dropped' && report.recipientState === 'waiting') {
              const later = await shownCall(app, String(report.recipientId));
              return tellWait(cli, later, app.clock.now(), flags.json);
            }
            if (flags.json) cli.json(await shownCall(app, report.id));
            else if (report.callId) for (const line of drawPlaced(report)) cli.out(line);
            const remark = remarkOn(report);
            if (remark) cli.note(remark);
            cli.exit(signals.signal.aborted ? 130 : exitOf(report));
          });
        } finally {
          signals.stop();
        }
      })
  );
}

/** A contact rule holds the call: it was stored, as the API stores it, and nobody follows it here. */
function tellWait(cli: Cli, call: ShownCall, now: number, json: true | undefined): void {
  if (json) cli.json(call);
  else cli.out(waitingCall(call, now));
  cli.note(
    `carillon: \`carillon up\` or \`carillon worker\` makes the call when the rules allow it; \`carillon call cancel ${call.id}\` withdraws it; --ignore-policy calls at once.`,
  );
}

/** Every command that dials puts its own file in force; it should be no surprise that others then stop dialling. */
async function enforceRules({ ledger: { policies }, permit }: App, cli: Cli): Promise<void> {
  await policies.refresh();
  const before = policies.version();
  await permit.enforce();
  const after = policies.version();
  if (!before || !after || before.version === after.version) return;
  cli.note(
    `carillon: this command put the contact rules of its CARILLON_POLICY in force (version ${after.version}); processes with another file stop dialling.`,
  );
}

/** Two phones would be two people. */
function phoneOf(phone: string | undefined, to: string | undefined): string | undefined {
  if (phone === undefined || to === undefined || phone === to) return phone ?? to;
  throw new CarillonError('usage-invalid', '--phone and --to name two phones', {
    remedy: 'Give --phone only.',
  });
}

/** A phone typed without its option is the likely mistake. */
function refuseBare([word]: readonly string[]): void {
  if (word === undefined) return;
  throw new CarillonError('usage-invalid', `call create takes no argument, but was given "${word}"`, {
    remedy: 'Give the phone as --phone +14155550123.',
  });
}

/** 0: the service has the call. 3: a person must look, or credit is needed. 2: nobody was called. */
function exitOf(report: AttemptReport): number {
  switch (report.state) {
    case 'placed':
    case 'done':
      return 0;
    case 'refused':
    case 'dropped':
      return 2;
    default:
      return 3;
  }
}

function drawPlaced(report: AttemptReport): string[] {
  const ended = report.outcome ? `ended: ${report.outcome}` : 'was placed';
  return [
    `Call ${report.callId} to ${report.phone} ${ended}`,
    ...factLines([
      ['Status', report.status ?? 'not reported'],
      ['Campaign', `${report.campaign}, attempt ${report.id}`],
      ['Duration', report.duration === null ? null : duration(report.duration)],
      ['Cost', report.cost === null ? null : String(report.cost)],
      ['Recording', report.recording_url],
      ['Data', report.structured_data ? JSON.stringify(report.structured_data) : null],
    ]),
    ...(report.transcript ? ['', report.transcript] : []),
  ];
}

/** The service's own words, unless we gave up the call ourselves. */
function whyOf({ state, reason, detail }: AttemptReport): string | null {
  return state === 'dropped' ? reason : (detail ?? reason);
}

/** What the result does not say: what went wrong, and who follows the call from here. */
function remarkOn(report: AttemptReport): string | null {
  const why = whyOf(report) ?? 'no reason was kept';
  switch (report.state) {
    case 'placed':
      return '`carillon up` or `carillon worker` follows it to its end; so does --wait.';
    case 'unknown':
      return report.callId
        ? `carillon: the call ${report.callId} was placed, but its end was never reported: ${why}. Check it at the service, then \`carillon unknown resolve ${report.id} --as called\`.`
        : `carillon: it is unknown whether ${report.phone} was called: ${why}. It will not be retried; check at the service, then \`carillon unknown resolve ${report.id}\`.`;
    case 'parked':
      return `carillon: the key ${report.key} has no credit: ${why}. The call is parked; \`carillon up\` makes it when there is credit; \`carillon campaign cancel ${quoteWord(report.campaign)}\` drops it.`;
    case 'refused':
      return `carillon: the service refused the call; nobody was called: ${why}. Compare the order with its answer.`;
    case 'dropped':
      return `carillon: nobody was called: ${why}. Run the command again to call.`;
    case 'planned':
    case 'dialing':
      return `carillon: a background worker has the call (${report.state}). See \`carillon campaign show ${quoteWord(report.campaign)}\`.`;
    case 'done':
      return null;
  }
}
