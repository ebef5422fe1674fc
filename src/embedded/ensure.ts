import { randomBytes } from 'node:crypto';
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { Clock } from '../clock.ts';
import { CarillonError } from '../errors.ts';
import type { Account } from './account.ts';
import { type Binaries, installBinaries, sweepBinaries } from './binaries.ts';
import { answers } from './hold.ts';
import { endOrphans, forgetPostmaster, initialise, isServerOf, launch, readPostmaster } from './server.ts';

/** Sees to it that a server runs on a home's ledger: adopts one, starts one, or makes the ledger first. */
export type Place = Readonly<{ home: string; dataDir: string; account: Account | undefined; clock: Clock }>;

export type Server = Readonly<{ url: string; pid: number; fresh: boolean; adopted: boolean }>;

/** A server that runs, whatever was there before. Called under the starters' lock. */
export async function ensure(place: Place, onlyPort?: number): Promise<Server> {
  const { home, dataDir, clock } = place;
  const running = await findRunning(place);
  if (running) return { ...running, fresh: false, adopted: true };
  sweep(home);
  const binaries = installBinaries(home);
  const fresh = !existsSync(join(dataDir, 'PG_VERSION'));
  if (fresh) await makeLedger(place, binaries);
  const made = Number.parseInt(readFileSync(join(dataDir, 'PG_VERSION'), 'utf8'), 10);
  if (made !== binaries.major) {
    throw new CarillonError(
      'embedded-unavailable',
      `the ledger in ${dataDir} was made by Postgres ${made}, this Carillon brings ${binaries.major}`,
      { remedy: 'Move it with pg_dump as docs/engines.md tells, or go back to the Carillon that made it.' },
    );
  }
  const end = clock.monotonic() + 30_000;
  let port = onlyPort ?? (await choosePort(readPort(dataDir)));
  for (;;) {
    const launched = await launch({ ...place, port, binaries });
    if ('pid' in launched) {
      writeAtomically(join(dataDir, portFile), String(port), place.account);
      return { url: urlOf(dataDir, port), pid: launched.pid, fresh, adopted: false };
    }
    // A busy port is chosen anew; the memory of a server that was killed is free once its last child has gone.
    if (launched.failed === 'other' || clock.monotonic() > end) {
      throw new CarillonError(
        'embedded-unavailable',
        `the embedded Postgres does not start: ${launched.why}`,
        {
          remedy: `Read ${join(home, 'postgres.log')}, or set DATABASE_URL to a Postgres 14 or newer.`,
        },
      );
    }
    if (launched.failed === 'memory') endOrphans(dataDir);
    if (launched.failed === 'port' && onlyPort === undefined) port = await choosePort(undefined);
    await clock.sleep(200);
  }
}

/** A server that another process started; a pid file alone proves nothing, a real connection does. */
async function findRunning({ dataDir, clock }: Place): Promise<{ url: string; pid: number } | undefined> {
  const end = clock.monotonic() + 60_000;
  for (;;) {
    const seen = readPostmaster(dataDir);
    if (!seen) return undefined;
    if (!isServerOf(seen.pid, dataDir)) {
      forgetPostmaster(dataDir);
      return undefined;
    }
    if (seen.status === 'ready') {
      const url = urlOf(dataDir, seen.port);
      if (await answers(url, dataDir)) return { url, pid: seen.pid };
    }
    if (clock.monotonic() > end) {
      throw new CarillonError(
        'embedded-unavailable',
        `a Postgres (pid ${seen.pid}) runs on ${dataDir} but does not answer`,
        { remedy: `End it with \`kill -INT ${seen.pid}\` and start again.` },
      );
    }
    await clock.sleep(50);
  }
}

const passwordFile = 'carillon.password';
const portFile = 'carillon.port';

/** Built beside its place and moved there whole, its password inside: a cut start leaves no half ledger. */
async function makeLedger(place: Place, binaries: Binaries): Promise<void> {
  const { home, dataDir, account } = place;
  const staging = join(home, `ledger.new-${process.pid}`);
  const password = `${staging}.password`;
  mkdirSync(staging, { mode: 0o700 });
  if (account) chownSync(staging, account.uid, account.gid);
  writeAtomically(password, randomBytes(24).toString('base64url'), account);
  await initialise(staging, password, binaries, account);
  renameSync(password, join(staging, passwordFile));
  renameSync(staging, dataDir);
}

function sweep(home: string): void {
  sweepBinaries(home);
  for (const entry of readdirSync(home)) {
    if (entry.startsWith('ledger.new-')) rmSync(join(home, entry), { recursive: true, force: true });
  }
}

export function urlOf(dataDir: string, port: number): string {
  const path = join(dataDir, passwordFile);
  let password: string;
  try {
    password = readFileSync(path, 'utf8').trim();
  } catch (error) {
    throw new CarillonError('embedded-unavailable', `the ledger’s password in ${path} cannot be read`, {
      remedy: 'Run as the user who made the ledger, or set a new password as docs/engines.md tells.',
      cause: error,
    });
  }
  return `postgres://carillon:${password}@127.0.0.1:${port}/postgres`;
}

function readPort(dataDir: string): number | undefined {
  try {
    return Number(readFileSync(join(dataDir, portFile), 'utf8')) || undefined;
  } catch {
    return undefined;
  }
}

/** The port of last time when it is free, so that a tool which was pointed at it still finds it. */
async function choosePort(wanted: number | undefined): Promise<number> {
  const probe = (port: number) =>
    new Promise<number | undefined>((resolve) => {
      const server = createServer();
      server.once('error', () => resolve(undefined));
      server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
        const address = server.address();
        server.close(() => resolve(typeof address === 'object' ? address?.port : undefined));
      });
    });
  const port = (wanted && (await probe(wanted))) || (await probe(0));
  if (port) return port;
  throw new CarillonError('embedded-unavailable', 'no port is free on 127.0.0.1');
}

function writeAtomically(path: string, text: string, account: Account | undefined): void {
  const draft = `${path}.draft`;
  writeFileSync(draft, text, { mode: 0o600 });
  if (account) chownSync(draft, account.uid, account.gid);
  renameSync(draft, path);
}
