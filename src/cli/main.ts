import { Command } from 'commander';
import { unwritable } from '../base/disk.ts';
import { errorLine } from '../base/errors.ts';
import { version } from '../base/version.ts';
import { type Cli, createCli, endWith, type Io, type Command as Made } from './cli.ts';

/**
 * The commands in the order in which a newcomer meets them. Each is loaded only when it is called: a dry run of a long
 * list should not load the queue, the web server and the database.
 */
const commands: Record<string, () => Promise<(cli: Cli) => Made>> = {
  demo: async () => (await import('./commands/demo.ts')).demoCommand,
  run: async () => (await import('./commands/run.ts')).runCommand,
  up: async () => (await import('./commands/up.ts')).upCommand,
  api: async () => (await import('./commands/up.ts')).apiCommand,
  worker: async () => (await import('./commands/up.ts')).workerCommand,
  campaign: async () => (await import('./commands/campaign.ts')).campaignCommand,
  unknown: async () => (await import('./commands/unknown.ts')).unknownCommand,
  call: async () => (await import('./commands/call.ts')).callCommand,
  keys: async () => (await import('./commands/keys.ts')).keysCommand,
  numbers: async () => (await import('./commands/numbers.ts')).numbersCommand,
  suppress: async () => (await import('./commands/suppress.ts')).suppressCommand,
  audit: async () => (await import('./commands/audit.ts')).auditCommand,
  doctor: async () => (await import('./commands/doctor.ts')).doctorCommand,
  migrate: async () => (await import('./commands/migrate.ts')).migrateCommand,
  sim: async () => (await import('./commands/sim.ts')).simCommand,
};

/** The program with the command that is called, or with all of them when none is. */
export async function createProgram(cli: Cli, called?: string): Promise<Command> {
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
    .addHelpText(
      'after',
      '\nBegin with:\n  carillon demo                               a sample campaign on a simulated service\n  carillon run people.csv --agent agent_123   call a list\n  carillon up                                 API, page and background workers',
    );
  const wanted =
    called !== undefined && Object.hasOwn(commands, called) ? [commands[called]!] : Object.values(commands);
  for (const load of wanted) program.addCommand((await load())(cli));
  return program;
}

/** Runs one command line and returns the exit code. Whatever happens, the user sees one clear line. */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  try {
    const cli = createCli({ ...io, argv });
    const program = await createProgram(cli, argv[0]);
    if (argv.length === 0) {
      program.outputHelp();
      return 0;
    }
    await program.parseAsync([...argv], { from: 'user' });
    return cli.exitCode();
  } catch (error) {
    return endWith(error, io);
  }
}

const { stdin, stdout, stderr, env } = process;
// A reader that stops reading (`| head`) is not an error.
for (const stream of [stdout, stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
  });
}
// Does not reject: every error becomes one line and an exit code.
void main(process.argv.slice(2), { stdin, stdout, stderr, env, cwd: process.cwd() }).then((code) => {
  process.exitCode = code;
  // What could not be closed in time (a queue whose server is gone) must not hold the process, but a slow reader must
  // still get all output.
  stdout.write('', () => {
    const last = code === 0 && isUnprinted() ? 1 : code;
    process.exitCode = last;
    setTimeout(() => process.exit(last), 500).unref();
  });
});

/** A full disk, perhaps: the work was done all the same, but whoever reads the output later must know. */
function isUnprinted(): boolean {
  const error = stdout.errored as NodeJS.ErrnoException | null;
  if (!error || error.code === 'EPIPE') return false;
  stderr.write(`carillon: ${errorLine(unwritable('Standard output', error))}\n`);
  return true;
}
