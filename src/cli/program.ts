import { Command } from 'commander';
import { version } from '../base/version.ts';
import { type Cli, createCli, endWith, helpStyle, type Io, type Command as Made } from './command-io.ts';
import { summaries } from './command-summaries.ts';
import { noCommand } from './group.ts';

type Name = keyof typeof summaries;

/**
 * Each command is loaded only when it is called: reading a long list in a dry run should not load the queue, the web
 * server and the database.
 */
const commands: Record<Name, () => Promise<(cli: Cli) => Made>> = {
  demo: async () => (await import('./commands/demo/demo.ts')).demoCommand,
  run: async () => (await import('./commands/run/run.ts')).runCommand,
  up: async () => (await import('./commands/up.ts')).upCommand,
  api: async () => (await import('./commands/up.ts')).apiCommand,
  worker: async () => (await import('./commands/up.ts')).workerCommand,
  campaign: async () => (await import('./commands/campaign/campaign.ts')).campaignCommand,
  report: async () => (await import('./commands/report.ts')).reportCommand,
  unknown: async () => (await import('./commands/unknown/unknown.ts')).unknownCommand,
  bulk: async () => (await import('./commands/bulk/bulk.ts')).bulkCommand,
  call: async () => (await import('./commands/call/call.ts')).callCommand,
  find: async () => (await import('./commands/find.ts')).findCommand,
  keys: async () => (await import('./commands/keys.ts')).keysCommand,
  numbers: async () => (await import('./commands/numbers.ts')).numbersCommand,
  service: async () => (await import('./commands/service.ts')).serviceCommand,
  erase: async () => (await import('./commands/erase.ts')).eraseCommand,
  suppress: async () => (await import('./commands/suppress.ts')).suppressCommand,
  policy: async () => (await import('./commands/policy.ts')).policyCommand,
  token: async () => (await import('./commands/token.ts')).tokenCommand,
  webhook: async () => (await import('./commands/webhook.ts')).webhookCommand,
  alert: async () => (await import('./commands/alert.ts')).alertCommand,
  activity: async () => (await import('./commands/activity.ts')).activityCommand,
  audit: async () => (await import('./commands/audit.ts')).auditCommand,
  alerts: async () => (await import('./commands/alerts.ts')).alertsCommand,
  ledger: async () => (await import('./commands/ledger.ts')).ledgerCommand,
  backup: async () => (await import('./commands/backup.ts')).backupCommand,
  restore: async () => (await import('./commands/restore.ts')).restoreCommand,
  doctor: async () => (await import('./commands/doctor.ts')).doctorCommand,
  migrate: async () => (await import('./commands/migrate.ts')).migrateCommand,
  mcp: async () => (await import('./commands/mcp.ts')).mcpCommand,
  completion: async () => (await import('./commands/completion.ts')).completionCommand,
  sim: async () => (await import('./commands/sim.ts')).simCommand,
};
const names = Object.keys(summaries) as Name[];

/** Runs one command line and returns the exit code. The user sees one clear line, whatever happens. */
export async function runLine(argv: readonly string[], io: Io): Promise<number> {
  try {
    const cli = createCli({ ...io, argv });
    const program = await createProgram(cli, argv);
    if (argv.length === 0) {
      program.outputHelp();
      return 0;
    }
    if (argv[0] === 'help') {
      showHelp(program, argv.slice(1));
      return 0;
    }
    await program.parseAsync([...argv], { from: 'user' });
    return cli.exitCode();
  } catch (error) {
    return endWith(error, io);
  }
}

/**
 * The program with the command that is called; a list of all commands loads none of them. Without arguments it has them
 * all.
 */
export async function createProgram(cli: Cli, args?: readonly string[]): Promise<Command> {
  const program = new Command('carillon')
    .description(
      'Dispatches outbound AI phone calls: nobody called twice by accident, no row lost, every result kept.',
    )
    .version(version)
    .exitOverride()
    .showSuggestionAfterError(true)
    .configureOutput({
      writeOut: (text) => cli.io.stdout.write(text),
      writeErr: () => undefined,
      outputError: () => undefined,
    })
    .configureHelp(helpStyle)
    .commandsGroup('Set-up:')
    .helpCommand('help [command...]', 'Show the help of a command, such as `carillon help campaign export`.')
    .addHelpText('after', begin);
  for (const made of await commandsFor(cli, args)) {
    const { group } = summaries[made.name() as Name];
    program.addCommand(made.helpGroup(`${group}:`));
  }
  return program;
}

const begin = [
  '\nBegin with:',
  '  carillon demo',
  '      a sample campaign on a simulated service',
  '  carillon run people.csv --agent agent_123',
  '      call a list',
  '  carillon up',
  '      API, page and background workers',
].join('\n');

/** The help of a command by its words, like `carillon help campaign export`. */
export function showHelp(program: Command, words: readonly string[]): void {
  let command: Command = program;
  for (const word of words) {
    if (command.commands.length === 0 || word.startsWith('-')) break;
    const next = command.commands.find((part) => part.name() === word);
    if (!next) throw noCommand(command, word);
    command = next;
  }
  command.outputHelp();
}

async function commandsFor(cli: Cli, args: readonly string[] | undefined): Promise<Made[]> {
  const called = args?.[0] === 'help' ? args[1] : args?.[0];
  // A script for a shell needs all of them.
  const isWhole = args === undefined || called === 'completion';
  if (!isWhole && called !== undefined && Object.hasOwn(commands, called))
    return [(await commands[called as Name]())(cli)];
  // The version is shown without any of them.
  if (called === '--version' || called === '-V') return [];
  const isList = called === undefined || called === '--help' || called === '-h' || !called.startsWith('-');
  if (!isWhole && isList) return names.map(describeCommand);
  return Promise.all(names.map(async (name) => (await commands[name]())(cli)));
}

/** Enough of a command to be listed, or to be suggested for a mistyped one. */
function describeCommand(name: Name): Made {
  return new Command(name).description(summaries[name].does);
}
