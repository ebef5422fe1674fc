import { lstatSync, mkdtempSync, readdirSync, rmdirSync, rmSync, symlinkSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readPostmaster } from './server.ts';

/**
 * Finds out whether a server listens on a data directory, by the socket in it. A socket that accepts proves that its
 * server is alive, even with no visible pid; the kernel closes it with the process.
 */
export async function isListening(dataDir: string): Promise<boolean> {
  for (const name of listSockets(dataDir)) {
    if (!name.endsWith('.lock') && (await reach(dataDir, name))) return true;
  }
  return false;
}

/**
 * Removes the files of a dead server. Postgres refuses to start over a pid file or a socket's lock file whose pid still
 * exists, even when it is another program's or a zombie's. It checks for itself whether the old server's children
 * still use the data.
 */
export function forgetServer(dataDir: string): void {
  // A pid file that we cannot read is left to Postgres: in single-user mode it writes its pid with a minus.
  if (readPostmaster(dataDir)) rmSync(join(dataDir, 'postmaster.pid'), { force: true });
  for (const name of listSockets(dataDir)) rmSync(join(dataDir, name), { force: true });
}

/** Sockets, and the lock files next to them. */
function listSockets(dataDir: string): string[] {
  let names: string[];
  try {
    names = readdirSync(dataDir);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
  return names.filter((name) => {
    if (!/^\.s\.PGSQL\.\d+(\.lock)?$/.test(name)) return false;
    const stat = lstatSync(join(dataDir, name), { throwIfNoEntry: false });
    return name.endsWith('.lock') ? stat?.isFile() : stat?.isSocket();
  });
}

/** A socket's path has room for 103 bytes on macOS and 107 on Linux. */
const isShort = (path: string) => Buffer.byteLength(path) <= 100;

/** Whether clients reach a server by the socket in its folder. */
export const hasShortSocket = (dataDir: string) => isShort(join(dataDir, '.s.PGSQL.5432'));

/** A socket whose path is too long is reached through a short link. */
async function reach(dataDir: string, name: string): Promise<boolean> {
  const path = join(dataDir, name);
  if (isShort(path)) return accepts(path);
  const folder = mkdtempSync(join(Buffer.byteLength(tmpdir()) <= 60 ? tmpdir() : '/tmp', 'carillon-'));
  const link = join(folder, 'd');
  try {
    symlinkSync(dataDir, link);
    return await accepts(join(link, name));
  } finally {
    rmSync(link, { force: true });
    rmdirSync(folder);
  }
}

/** Asks for TLS: the only request that Postgres answers without a user and without a line in its log. */
const tlsRequest = Buffer.from('0000000804d2162f', 'hex');

/** A server may be listening after any other error, and a live one must not lose its pid file. */
const notListening = new Set(['ECONNREFUSED', 'ENOENT', 'ENOTSOCK']);

function accepts(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    let accepted = false;
    const socket = connect({ path });
    const finish = (alive: boolean) => {
      socket.destroy();
      resolve(alive);
    };
    // A server that was stopped (SIGSTOP), or is too busy to answer, is alive too.
    socket.setTimeout(2_000, () => finish(true));
    socket.once('connect', () => {
      accepted = true;
      socket.write(tlsRequest);
    });
    socket.once('data', () => finish(true));
    socket.once('end', () => finish(true));
    socket.on('error', (error: NodeJS.ErrnoException) =>
      finish(accepted || !notListening.has(error.code ?? '')),
    );
  });
}
