import { Command } from 'commander';
import { version } from '../base/version.ts';
import {
  type Cli,
  createCli,
  endWith,
  helpStyle,
  type Io,
  type Command as Made,
  noCommand,
} from './command-io.ts';

type Listed = { does: string; load(): Promise<(cli: Cli) => Made> };

/**
 * Every command, in groups, in the order in which a newcomer meets them. Each is loaded only when it is called: reading a
 * long list in a dry run should not load the queue, the web server and the database.
 */
const groups: Record<string, Record<string, Listed>> = {
  Run: {
    demo: {
      does: 'Dispatch a sample campaign on a simulated service, with a fresh ledger of its own. Nobody is called.',
      load: async () => (await import('./commands/demo/demo.ts')).demoCommand,
    },
    run: {
      does: 'Call everybody on a list, and keep every result. Started again, it resumes.',
      load: async () => (await import('./commands/run/run.ts')).runCommand,
    },
    up: {
      does: 'Run the API, the page and the background workers in one process.',
      load: async () => (await import('./commands/up.ts')).upCommand,
    },
    api: {
      does: 'Run only the API and the page; workers run elsewhere.',
      load: async () => (await import('./commands/up.ts')).apiCommand,
    },
    worker: {
      does: 'Run background workers, which dial campaigns started by the API or `campaign resume`. Start as many as you like.',
      load: async () => (await import('./commands/up.ts')).workerCommand,
    },
  },
  Campaigns: {
    campaign: {
      does: 'Create, start and show campaigns; pause, resume, cancel, export, refresh, retry, extend, copy, rename or delete them.',
      load: async () => (await import('./commands/campaign/campaign.ts')).campaignCommand,
    },
    report: {
      does: 'Show how a campaign’s calls ended: connect rate, outcomes, cost and duration.',
      load: async () => (await import('./commands/report.ts')).reportCommand,
    },
    unknown: {
      does: 'List the attempts whose outcome is unknown, and record what you found out.',
      load: async () => (await import('./commands/unknown.ts')).unknownCommand,
    },
    bulk: {
      does: 'Retry, skip, suppress, resolve or export everyone whom a filter finds.',
      load: async () => (await import('./commands/bulk/bulk.ts')).bulkCommand,
    },
  },
  People: {
    call: {
      does: 'Make one call, show it, fetch its record again, or change it.',
      load: async () => (await import('./commands/call/call.ts')).callCommand,
    },
    find: {
      does: 'Find a person in every campaign by phone, name or id, and show each attempt. Exits with 0 even if nobody is found.',
      load: async () => (await import('./commands/find.ts')).findCommand,
    },
    suppress: {
      does: 'Manage the list of people who must not be called.',
      load: async () => (await import('./commands/suppress.ts')).suppressCommand,
    },
    erase: {
      does: 'Erase a person in every campaign: phone, name, input, transcripts and history. This cannot be undone. The person is not called again.',
      load: async () => (await import('./commands/erase.ts')).eraseCommand,
    },
  },
  'Keys and service': {
    keys: {
      does: 'Show each key: its state, its rate and its calls in progress.',
      load: async () => (await import('./commands/keys.ts')).keysCommand,
    },
    numbers: {
      does: 'List the phone numbers of the account behind each key, with their calls, and rest or return one.',
      load: async () => (await import('./commands/numbers.ts')).numbersCommand,
    },
    service: {
      does: 'List and show the services that Carillon can use, check that yours answers as described, and try one call.',
      load: async () => (await import('./commands/service.ts')).serviceCommand,
    },
    sim: {
      does: 'Run the simulated voice service; nobody is called.',
      load: async () => (await import('./commands/sim.ts')).simCommand,
    },
  },
  'Set-up': {
    doctor: {
      does: 'Check every dependency, key and setting, and say how to fix what is wrong.',
      load: async () => (await import('./commands/doctor.ts')).doctorCommand,
    },
    migrate: {
      does: 'Bring the ledger and the queue up to date; every process also does this when it starts.',
      load: async () => (await import('./commands/migrate.ts')).migrateCommand,
    },
    policy: {
      does: 'Show, set, check and try the contact rules of every campaign.',
      load: async () => (await import('./commands/policy.ts')).policyCommand,
    },
    token: {
      does: 'Manage the tokens of the API: who may use it, and for what.',
      load: async () => (await import('./commands/token.ts')).tokenCommand,
    },
    webhook: {
      does: 'Manage webhooks: addresses that are told what happens.',
      load: async () => (await import('./commands/webhook.ts')).webhookCommand,
    },
    mcp: {
      does: 'Let an assistant on this machine read campaigns and, with MCP_ACTS=1, act in two steps: the Model Context Protocol on standard input and output.',
      load: async () => (await import('./commands/mcp.ts')).mcpCommand,
    },
    alert: {
      does: 'Manage where people are told of alerts: Slack, e-mail or a URL of yours.',
      load: async () => (await import('./commands/alert.ts')).alertCommand,
    },
    completion: {
      does: 'Print a script that lets your shell complete commands, options and values: bash, zsh or fish.',
      load: async () => (await import('./commands/completion.ts')).completionCommand,
    },
  },
  Operating: {
    activity: {
      does: 'Show who changed what, from where and when, the newest first.',
      load: async () => (await import('./commands/token.ts')).activityCommand,
    },
    alerts: {
      does: 'Show the alerts that `up`, `api` and `worker` have raised: what needs a person, and what to do.',
      load: async () => (await import('./commands/alert.ts')).alertsCommand,
    },
    audit: {
      does: 'Check that every campaign’s counts add up and that the ledger’s rules hold.',
      load: async () => (await import('./commands/audit.ts')).auditCommand,
    },
    ledger: {
      does: 'See whether the ledger’s history is whole; confirm one that was restored.',
      load: async () => (await import('./commands/ledger.ts')).ledgerCommand,
    },
    backup: {
      does: 'Back up the embedded ledger, even while campaigns are calling.',
      load: async () => (await import('./commands/backup.ts')).backupCommand,
    },
    restore: {
      does: 'Replace the embedded ledger with a backup; nobody is called until you confirm it.',
      load: async () => (await import('./commands/backup.ts')).restoreCommand,
    },
  },
};

const commands = new Map(
  Object.entries(groups).flatMap(([group, all]) =>
    Object.entries(all).map(([name, listed]) => [name, { ...listed, group }] as const),
  ),
);

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
    const { group, does } = commands.get(made.name())!;
    program.addCommand(made.description(does).helpGroup(`${group}:`));
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
  const load = async ({ load }: Listed) => (await load())(cli);
  // A script for a shell needs all of them.
  const isWhole = args === undefined || called === 'completion';
  const one = called === undefined ? undefined : commands.get(called);
  if (!isWhole && one) return [await load(one)];
  // The version is shown without any of them.
  if (called === '--version' || called === '-V') return [];
  const isList = called === undefined || called === '--help' || called === '-h' || !called.startsWith('-');
  // A name is enough of a command to be listed, or to be suggested for a mistyped one.
  if (!isWhole && isList) return [...commands.keys()].map((name) => new Command(name));
  return Promise.all([...commands.values()].map(load));
}
