import type { Command } from 'commander';
import { confirmKey, type Key, listKeys, resumeKey } from '../../control/keys/list.ts';
import { differenceLine } from '../../control/processes/dialers.ts';
import { type Cli, noCommand, topCommand } from '../command-io.ts';
import { counted, duration } from '../output/summary.ts';
import { onApp } from '../reporting.ts';
import { type Columns, tableOf, timeCell, timeText } from '../terminal/table.ts';

/** `carillon keys`: shows each key, and lets a person open a closed one. */
export function keysCommand(cli: Cli): Command {
  const keys = topCommand('keys', 'carillon keys\ncarillon keys resume default')
    .option('--json', 'print one JSON document')
    // Without this, commander reports a mistyped `resume` as an excess argument.
    .allowExcessArguments(true)
    .action((options: { json?: true }, self: Command) => {
      if (self.args.length > 0) throw noCommand(self);
      return cli.withApp(async (app) => {
        const found = await listKeys(app.service({ note: cli.note }), app.engine.bucket);
        if (options.json) return cli.json(found);
        // A key that was removed from the settings is shown only while attempts depend on it.
        const shown = found.items.filter(
          (key) => key.present || key.processes.length > 0 || key.planned + key.parked + key.calling > 0,
        );
        await app.permit.refresh();
        const trouble = app.sameKeys.trouble();
        const lines = [
          ...accountLines(shown),
          ...inboundLines(shown),
          ...creditLines(shown),
          ...holderLines(shown),
          ...differenceLines(shown),
        ];
        if (trouble) lines.push(`${trouble.message.replace('process', 'command')}: it would not dial.`);
        for (const line of [...tableOf(columns, shown, cli.width()), ...lines]) cli.out(line);
      });
    });
  return keys
    .addCommand(
      onApp(cli, {
        name: 'resume',
        does: 'Let a key create calls again, once the service accepts it.',
        example: 'carillon keys resume default',
        takes: [['<name>', 'the key’s name']],
        find: (app, name: string) => resumeKey(app.service({ note: cli.note }), name),
        tell({ was, resumed }, [name]) {
          if (was === 'open') return `The key ${name} is open; the service accepts it.`;
          const rows = resumed > 0 ? ` ${counted(resumed, 'attempt is', 'attempts are')} planned again.` : '';
          return `The key ${name} creates calls again.${rows}`;
        },
      }),
    )
    .addCommand(
      onApp(cli, {
        name: 'confirm',
        does: 'Confirm that this command has the right secret and rate for a key.',
        example: 'carillon keys confirm default',
        takes: [['<name>', 'the key’s name']],
        find: (app, name: string) => confirmKey(app, name),
        tell({ differ }, [name]) {
          const others = differ.length > 0 ? ` Restart those that differ: ${differ.join(', ')}.` : '';
          return `The key ${name} of this command is the one in force.${others}`;
        },
      }),
    );
}

/** One line for each key that keeps some of its calls free for those that come in. */
export function inboundLines(keys: readonly Pick<Key, 'name' | 'call_limit'>[]): string[] {
  return keys.flatMap(({ name, call_limit: limit }) => {
    if (!limit || limit.kept === 0) return [];
    const { most, kept, inbound, now } = limit;
    const came = inbound === null ? '' : `; ${counted(inbound, 'call')} came in`;
    return [
      `${name} keeps ${kept} of ${counted(most, 'call')} free for those that come in${came}: at most ${now} of yours at once.`,
    ];
  });
}

/** One line for each key of which it is known how far its credit reaches. */
export function creditLines(keys: readonly Pick<Key, 'name' | 'credit'>[]): string[] {
  return keys.flatMap(({ name, credit }) => {
    if (!credit) return [];
    const { spent, lasted, minutes } = credit;
    const known = `${spent.toFixed(2)} spent since it had credit again; the time before, it lasted for ${lasted.toFixed(2)}`;
    const reach = minutes === null ? '' : `credit for about ${duration(minutes * 60)}: `;
    return [`${name}: ${reach}${known}.`];
  });
}

/** One line for each process that has another key, and so does not dial. */
function differenceLines(keys: readonly Pick<Key, 'name' | 'differs'>[]): string[] {
  return keys.flatMap(({ name, differs }) =>
    differs.map((each) => `${differenceLine({ ...each, key: name })}: it does not dial.`),
  );
}

/** Which process has which keys, if they differ. */
function holderLines(keys: readonly Pick<Key, 'name' | 'processes'>[]): string[] {
  const all = [...new Set(keys.flatMap(({ processes }) => processes))].sort();
  if (keys.every(({ processes }) => processes.length === all.length)) return [];
  return all.map((process) => {
    const names = keys.filter(({ processes }) => processes.includes(process)).map(({ name }) => name);
    return `${process} has ${names.length === 1 ? 'the key' : 'the keys'} ${names.join(', ')}.`;
  });
}

/** One line for each limit that several keys share. */
export function accountLines(keys: readonly Pick<Key, 'name' | 'belief'>[]): string[] {
  const lines = keys.flatMap(({ name, belief }) => {
    if (!belief?.account) return [];
    const names = [name, ...belief.account].sort();
    const limit =
      belief.limit === null ? '' : ` of about ${Math.round(belief.limit * 10) / 10} requests a second`;
    return `The keys ${listOf(names)} share one limit${limit}: Carillon gives them one budget.`;
  });
  return [...new Set(lines)];
}

function listOf(names: readonly string[]): string {
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

const words = {
  open: 'open',
  failing: 'service failing',
  out_of_credit: 'no credit',
  denied: 'not accepted',
} as const;

const columns: Columns<Key> = {
  KEY: ({ name }) => name,
  STATE: ({ present, state }) => (present ? words[state] : 'not here'),
  RATE: ({ rate, rate_from: from }) => (rate === null ? null : `${rate}/s ${from}`),
  CALLING: ({ calling }) => calling,
  PLANNED: ({ planned }) => planned,
  PARKED: ({ parked }) => parked,
  RESTS: ({ rests_ms: ms }) => (ms > 0 ? `${(ms / 1_000).toFixed(1)} s` : null),
  SINCE: ({ since }) => timeText(since),
  'NEXT PROBE': ({ probe_at: at }) => timeCell(at),
  WHY: ({ reason }) => reason,
};
