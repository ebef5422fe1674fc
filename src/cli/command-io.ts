import { hostname, userInfo } from 'node:os';
import { isAbsolute, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { Command, CommanderError, Help, type HelpConfiguration } from 'commander';
import type { App } from '../app.ts';
import { type Actor, actFor } from '../base/actor.ts';
import { type Config, type Environment, loadConfig, readEnvironment } from '../base/config/config.ts';
import { CarillonError, errorLine } from '../base/errors.ts';
import { createLog, type Log } from '../base/log.ts';
import { printable, printableJson } from '../base/terminal-safe.ts';
import type { LedgerOnly } from '../ledger-only.ts';
import { settingsOf } from '../voice/load-service.ts';
import { didYouMean } from './closed-lists.ts';
import { localTimes } from './terminal/table.ts';
import { type TerminalStream, widthOf, wrapFor } from './terminal/wrap.ts';

export type { Command } from 'commander';

/** The common part of all commands: where a command reads and writes, and how it opens and closes what it needs. */
export type Io = {
  stdin: Readable & { isTTY?: boolean };
  stdout: TerminalStream;
  stderr: TerminalStream;
  env: Environment;
  cwd: string;
  /** The arguments as typed, for hints that repeat them. */
  argv?: readonly string[];
};

export type Cli = {
  io: Io;
  /** The settings, read when first asked for: `--help` must not fail on a wrong `.env`. */
  config(): Config;
  log(level?: string): Log;
  out(line: string): void;
  /** The columns of what `out` writes to, for a table that must fit. */
  width(): number;
  /** Writes remarks for a person to stderr; stdout keeps only the result. */
  note(line: string): void;
  json(value: unknown): void;
  /** How to clear a display that is redrawn, before another line is written. */
  drawing(clear: (() => void) | null): void;
  /** The exit code once the command has returned. */
  exit(code: number): void;
  /** Opens the ledger while the work runs. */
  withLedger<T>(work: (opened: LedgerOnly) => Promise<T>, options?: OpenOptions): Promise<T>;
  /** Opens everything, service and engine too, while the work runs. */
  withApp<T>(work: (app: App) => Promise<T>, options?: OpenOptions): Promise<T>;
  exitCode(): number;
};

/** Keeps stdout for rows: words and the JSON document go to stderr. */
export function besideRows(cli: Cli): Cli {
  const { stderr } = cli.io;
  return {
    ...cli,
    out: cli.note,
    width: () => widthOf(stderr),
    json: (value) => stderr.write(`${printableJson(JSON.stringify(value))}\n`),
  };
}

type OpenOptions = {
  config?: Config;
  log?: Log;
  stopMs?: number;
  /** On whose behalf it works, instead of the person who typed the command; null is the process itself. */
  actor?: Actor | null;
};

/** How long a clean shutdown may take before the process abandons what hangs. */
const stopMs = 8_000;

export function createCli(io: Io): Cli {
  let config: Config | undefined;
  let code = 0;
  const read = () => {
    config ??= loadConfig(readEnvironment(io.env, io.cwd), io.env, settingsOf);
    return config;
  };
  let clear: (() => void) | null = null;
  const write = (stream: TerminalStream, line: string) => {
    clear?.();
    stream.write(`${wrapFor(stream, printable(line))}\n`);
  };
  const note = (line: string) => write(io.stderr, line);
  const cli: Cli = {
    io,
    config: read,
    log: (level) => createLog(level ?? read().logLevel),
    out: (line) => write(io.stdout, line),
    width: () => widthOf(io.stdout),
    note,
    json: (value) => io.stdout.write(`${printableJson(JSON.stringify(value))}\n`),
    drawing: (next) => {
      clear = next;
    },
    exit: (next) => {
      code = next;
    },
    exitCode: () => code,
    // Loaded when needed: a command that only reads a file starts fast and stays small.
    withLedger: async (work, options) =>
      during((await import('../ledger-only.ts')).openLedgerOnly, work, options),
    withApp: async (work, options) => during((await import('../app.ts')).openApp, work, options),
  };

  async function during<B extends LedgerOnly, T>(
    open: (config: Config, deps: { log: Log }) => Promise<B>,
    work: (opened: B) => Promise<T>,
    options: OpenOptions = {},
  ): Promise<T> {
    const settings = options.config ?? read();
    // A command in the foreground prints its own output, so only problems are logged.
    const log = options.log ?? createLog(settings.logLevel === 'info' ? 'error' : settings.logLevel);
    actFor(options.actor === undefined ? whoTypes() : options.actor);
    const opened = await open(settings, { log });
    if (opened.fresh) note(`A new, empty ledger was made in ${settings.home}.`);
    try {
      return await work(opened);
    } finally {
      const late = await opened.lifecycle.stop(options.stopMs ?? stopMs);
      if (late.length > 0) log.warn({ late }, 'not everything closed in time');
    }
  }
  return cli;
}

/** A list of commands shows only their names; on a narrow terminal, descriptions stand below. */
export const helpStyle: HelpConfiguration = {
  minWidthToWrap: 20,
  subcommandTerm: (command) => command.name(),
  formatItem(term, termWidth, description, helper) {
    const width = helper.helpWidth ?? 80;
    if (width - termWidth >= 45 || !description)
      return Help.prototype.formatItem.call(helper, term, termWidth, description, helper);
    const below = helper.boxWrap(description, width - 6).replaceAll('\n', '\n      ');
    return `  ${term}\n      ${below}`;
  },
};

/** A command that throws instead of ending the process, and whose errors point to its help. */
export function command(name: string, description: string, example: string): Command {
  return new Command(name)
    .description(description)
    .exitOverride()
    .showSuggestionAfterError(true)
    .allowExcessArguments(false)
    .configureHelp(helpStyle)
    .configureOutput({ writeErr: () => undefined, outputError: () => undefined })
    .addHelpText('after', `\nExample:\n  ${example.split('\n').join('\n  ')}`);
}

/** A command of the program's own list, which says what it does. */
export function topCommand(name: string, example: string): Command {
  return command(name, '', example);
}

/** A required option. Checked late, so that a mistyped option is reported first. */
export function required<T>(value: T | undefined, option: string): T {
  if (value !== undefined) return value;
  throw new CarillonError('usage-invalid', `The option ${option} is missing`, {
    remedy: 'Run the command with --help to see what it takes.',
  });
}

/** The options as typed. An option that a script left empty counts as not given. */
export function given<T extends Record<string, unknown>>(flags: T): T {
  return Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== '')) as T;
}

/** Ends a command that failed: one line that says what happened and what to do, and the exit code. */
export function endWith(error: unknown, io: Io): number {
  const say = (line: string) => io.stderr.write(`${wrapFor(io.stderr, line)}\n`);
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return 0;
    const text = error.message
      .replace(/^error: /, '')
      .replace(/\s+/g, ' ')
      .replace(/\.$/, '');
    say(`carillon: ${inBrief(text)}. Run the command with --help to see what it takes.`);
    return 2;
  }
  say(`carillon: ${inBrief(localTimes(errorLine(error)))}`);
  if (error instanceof Error && io.env.LOG_LEVEL === 'debug')
    io.stderr.write(`${printable(error.stack ?? '')}\n`);
  return error instanceof CarillonError ? error.exit : 1;
}

/** No path or address is as long as this limit: a longer value may be a file's content. */
function inBrief(line: string): string {
  return printable(line).replace(/\S{1000,}/g, (word) => `${word.slice(0, 100)}…`);
}

/** A file as it is typed: from the folder where the command is. */
export function pathOf(cli: Cli, file: string): string {
  return isAbsolute(file) ? file : resolve(cli.io.cwd, file);
}

/** The person who types a command, for the activity: anyone who can start one here may do everything. */
export function whoTypes(): Actor {
  return { name: 'cli', person: null, role: 'admin', address: `${userName()}@${hostname()}`, token: null };
}

/** A container's user may have no name. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}

/** A command that only groups others: called without one of them, it lists them. */
export function group(name: string, example: string, parts: readonly Command[]): Command {
  const made = topCommand(name, example)
    .usage('<command>')
    // Without this, commander reports an unknown command as an excess argument.
    .allowExcessArguments(true)
    .action((_options: object, self: Command) => {
      throw noCommand(self);
    });
  for (const part of parts) made.addCommand(part);
  return made;
}

/** Names what was typed in place of a command, the nearest command, and all there are. */
export function noCommand(group: Command, word = group.args[0]): CarillonError {
  const path = wordsOf(group);
  const names = group.commands.map((part) => part.name());
  const fault = word === undefined ? 'needs a command' : `has no command "${word}"`;
  const near = word === undefined ? '' : didYouMean(word, names);
  return new CarillonError('usage-invalid', `${path.at(-1)} ${fault}${near}; it has ${names.join(', ')}`, {
    remedy: `Run \`${[...path, '--help'].join(' ')}\` to see what each does.`,
  });
}

/** The words as typed: `carillon campaign export`. */
export function wordsOf(command: Command): string[] {
  return command.parent ? [...wordsOf(command.parent), command.name()] : [command.name()];
}
