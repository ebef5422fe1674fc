import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { readLine } from '../base/boot-id.ts';
import type { Clock } from '../base/clock.ts';
import { replaceFile } from '../base/disk-errors.ts';
import { CarillonError } from '../base/errors.ts';
import { type Account, giveFolder } from './account.ts';
import { type Binaries, findPackage, installBinaries, sweepBinaries } from './binaries.ts';
import { markerFile, refuseElsewhere, thisHost } from './host.ts';
import { answers } from './lease.ts';
import { appUrl, hasRole, makeRole, superuserFile, superuserUrl } from './role.ts';
import {
  endOrphans,
  initialise,
  isServerOf,
  type Launched,
  launch,
  type Postmaster,
  readPostmaster,
  type ServerAddress,
  wasClosed,
} from './server.ts';
import { forgetServer, hasShortSocket, isListening } from './socket.ts';

/** Makes sure that a server runs on a home's ledger: adopts one, starts one, or makes the ledger first. */
export type Place = Readonly<{ home: string; dataDir: string; account: Account | undefined; clock: Clock }>;

export type Server = ServerAddress &
  Readonly<{
    url: string;
    pid: number;
    fresh: boolean;
    adopted: boolean;
    /** This start found data that no server had closed. */
    died: boolean;
  }>;

type Running = ServerAddress & Readonly<{ pid: number }>;

/** Returns a running server. Called under the starters' lock. */
export async function ensure(place: Place, only?: ServerAddress): Promise<Server> {
  const { home, dataDir } = place;
  refuseElsewhere(home, dataDir);
  const running = await findRunning(place);
  if (running) {
    // An older Carillon started it.
    if (!hasRole(dataDir)) await makeRole(dataDir, running, place.account);
    return { ...running, url: appUrl(dataDir, running), fresh: false, adopted: true, died: false };
  }
  const found = findPackage();
  const fresh = !existsSync(join(dataDir, 'PG_VERSION'));
  if (!fresh) refuseOtherVersion(dataDir, found.major);
  const died = !fresh && !wasClosed(dataDir);
  // The ledger is known to be free and usable from here on; a refused start removes nothing.
  forgetServer(dataDir);
  sweep(home);
  const binaries = installBinaries(home, found);
  if (fresh) await makeLedger(place, binaries);
  replaceFile(join(home, markerFile), JSON.stringify(thisHost()), place.account);
  const started = await launchSomewhere(place, binaries, only);
  await makeRole(dataDir, started, place.account);
  return { ...started, url: appUrl(dataDir, started), fresh, adopted: false, died };
}

function refuseOtherVersion(dataDir: string, major: number): void {
  const made = Number.parseInt(readFileSync(join(dataDir, 'PG_VERSION'), 'utf8'), 10);
  if (made === major) return;
  throw new CarillonError(
    'embedded-unavailable',
    `the ledger in ${dataDir} was made by Postgres ${made}, but this Carillon has Postgres ${major}`,
    {
      remedy:
        'Move it with pg_dump as docs/guides/operating.md describes, or go back to the Carillon that made it.',
    },
  );
}

/** Starts the server at its socket only, if clients can reach one: nobody else can ever listen there. */
async function launchSomewhere(
  place: Place,
  binaries: Binaries,
  only: ServerAddress | undefined,
): Promise<Running> {
  const { home, dataDir, clock } = place;
  const end = clock.monotonic() + 30_000;
  const loopback = async (wanted?: number) => ({ port: await choosePort(wanted), onLoopback: true });
  let address = only ?? (hasShortSocket(dataDir) ? atSocket : await loopback(readPort(dataDir)));
  let withSocket = true;
  for (;;) {
    const launched: Launched = await launch({ ...place, address, withSocket, binaries });
    if ('pid' in launched) {
      if (address.onLoopback) replaceFile(join(dataDir, portFile), String(address.port), place.account);
      return { ...address, pid: launched.pid };
    }
    // A busy port is replaced; a killed server's shared memory is free once its last child has ended.
    if (launched.failed === 'other' || clock.monotonic() > end) {
      throw new CarillonError(
        'embedded-unavailable',
        `the embedded Postgres does not start: ${launched.why}`,
        { remedy: `Read ${join(home, 'postgres.log')}, or set DATABASE_URL to a Postgres 14 or newer.` },
      );
    }
    // Some shared folders of virtual machines allow no sockets. The marker guards the ledger there too.
    if (launched.failed === 'socket') {
      withSocket = false;
      if (!address.onLoopback) address = await loopback(readPort(dataDir));
    }
    if (launched.failed === 'memory') endOrphans(dataDir);
    if (launched.failed === 'port' && only === undefined) address = await loopback();
    await clock.sleep(200);
  }
}

/** Finds a server that another process started. A pid file proves nothing; a connection does. */
async function findRunning({ dataDir, clock }: Place): Promise<Running | undefined> {
  const end = clock.monotonic() + 60_000;
  for (;;) {
    const seen = readPostmaster(dataDir);
    const visible = seen !== undefined && isServerOf(seen.pid, dataDir);
    // A server that listens is alive, even with no visible pid: /proc may be hidden, or the folder mounted elsewhere.
    if (!visible && !(await isListening(dataDir))) return undefined;
    if (!seen) throw withoutPidFile(dataDir);
    if (seen.status === 'ready') {
      const { pid, port, onLoopback } = seen;
      if (await answers(superuserUrl(dataDir, seen), dataDir)) return { pid, port, onLoopback };
    }
    if (clock.monotonic() > end) throw silent(seen, dataDir, visible);
    await clock.sleep(50);
  }
}

function withoutPidFile(dataDir: string): CarillonError {
  return new CarillonError(
    'embedded-unavailable',
    `a Postgres runs on ${dataDir}, but its postmaster.pid there is gone or unreadable`,
    { remedy: 'Wait a minute or two until it ends by itself, then start again.' },
  );
}

function silent({ pid, port }: Postmaster, dataDir: string, visible: boolean): CarillonError {
  return new CarillonError(
    'embedded-unavailable',
    `a Postgres (pid ${pid}) runs on ${dataDir} but does not answer`,
    {
      remedy: visible
        ? `End it with \`kill -INT ${pid}\` and start again.`
        : // That pid may be another program's here, so the remedy does not say to kill it.
          `Its socket is open, but neither its pid nor its port ${port} can be found here: stop it where it was started, perhaps in another container, or set DATABASE_URL.`,
    },
  );
}

const portFile = 'carillon.port';

/** Nothing listens on that port: it only names the socket. */
const atSocket: ServerAddress = { port: 5432, onLoopback: false };

/** Built next to its place, with its password, then moved there: a killed start leaves no half ledger. */
async function makeLedger(place: Place, binaries: Binaries): Promise<void> {
  const { home, dataDir, account } = place;
  const staging = join(home, `ledger.new-${process.pid}`);
  const password = `${staging}.password`;
  mkdirSync(staging, { mode: 0o700 });
  giveFolder(staging, account);
  replaceFile(password, randomBytes(24).toString('base64url'), account);
  await initialise(staging, password, binaries, account);
  renameSync(password, join(staging, superuserFile));
  renameSync(staging, dataDir);
}

function sweep(home: string): void {
  sweepBinaries(home);
  for (const entry of readdirSync(home)) {
    if (entry.startsWith('ledger.new-')) rmSync(join(home, entry), { recursive: true, force: true });
  }
}

function readPort(dataDir: string): number | undefined {
  return Number(readLine(join(dataDir, portFile))) || undefined;
}

/** The last port if it is free, so that a tool that uses it still finds the server. */
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
