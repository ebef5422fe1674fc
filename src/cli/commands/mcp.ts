import type { Readable, Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { Command } from 'commander';
import type { App } from '../../app.ts';
import { type Role, roles } from '../../base/actor.ts';
import { oneOf } from '../closed-lists.ts';
import { type Cli, topCommand, whoTypes } from '../command-io.ts';
import { watchSignals } from '../terminal/signals.ts';

/** `carillon mcp`: an assistant on this machine starts it, and speaks with it on standard input and output. */
export function mcpCommand(cli: Cli): Command {
  return topCommand('mcp', example)
    .addOption(
      oneOf('--role <role>', `what the assistant may do: ${roles.join(', ')} (default: admin)`, roles),
    )
    .action(async ({ role = 'admin' }: { role?: Role }) => {
      const signals = watchSignals();
      try {
        await cli.withApp((app) => serve(cli, app, signals.signal), {
          actor: { ...whoTypes(), role },
        });
      } finally {
        signals.stop();
      }
    });
}

/** Until the assistant closes standard input. */
async function serve(cli: Cli, app: App, signal: AbortSignal): Promise<void> {
  const [{ serveStdio, StdioServerTransport }, { createMcpServer }] = await Promise.all([
    import('@modelcontextprotocol/server/stdio'),
    import('../../api/mcp/server.ts'),
  ]);
  const stdin: Readable = cli.io.stdin;
  const stdout = cli.io.stdout as unknown as Writable;
  const service = app.service({ note: cli.note, patienceMs });
  app.keyRing.watch();
  // It may run for days without a worker that would hear of new contact rules.
  const before = () => app.permit.refresh();
  const handle = serveStdio(() => createMcpServer({ app, service, before }), {
    transport: new StdioServerTransport(stdin, stdout),
    onerror: (error) => app.log.debug({ why: error.message }, 'a message of the assistant was refused'),
  });
  // Shows people the terminal where they typed it that it waits for a program.
  if (cli.io.stdin.isTTY) cli.note('An assistant speaks here on standard input and output. Ctrl-C ends it.');
  try {
    await finished(stdin, { signal, writable: false });
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    await handle.close();
  }
}

/** While someone waits for an answer, a key that rests longer than this is not waited for. */
const patienceMs = 10_000;

const example = `carillon mcp --role read
{"mcpServers": {"carillon": {"command": "carillon", "args": ["mcp", "--role", "read_people"]}}}
    as a line in the settings of an assistant`;
