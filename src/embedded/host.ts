import { existsSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { bootId, machineId } from '../base/boot-id.ts';
import { readIfThere } from '../base/disk-errors.ts';
import { CarillonError } from '../base/errors.ts';

/**
 * Says where a process runs. A pid means something only in its own PID namespace and only until the next boot, so
 * another process is judged by the pid that it wrote down only when it ran where we run.
 */
export type Host = Readonly<{
  bootId: string | null;
  /** Null on macOS, which has none. */
  pidNamespace: string | null;
  machineId: string | null;
  hostName: string;
}>;

/** `restarted`: this machine, before its last boot. Its pids mean nothing here in the last two cases. */
type Whereabouts = 'here' | 'restarted' | 'other-namespace' | 'other-machine';

let ours: Host | undefined;

export function thisHost(): Host {
  ours ??= {
    bootId: bootId(),
    pidNamespace: readNamespace(),
    machineId: machineId(),
    hostName: hostname(),
  };
  return ours;
}

export function locate(their: Host, our: Host = thisHost()): Whereabouts {
  // Containers and copied machines share the machine id of their image, so the name must agree as well.
  const sameMachine =
    our.machineId !== null && their.machineId === our.machineId && their.hostName === our.hostName;
  const bootsKnown = our.bootId !== null && their.bootId !== null;
  const sameBoot = bootsKnown ? their.bootId === our.bootId : sameMachine;
  if (sameBoot) return their.pidNamespace === our.pidNamespace ? 'here' : 'other-namespace';
  return sameMachine ? 'restarted' : 'other-machine';
}

/** Whether its pids can be looked up here, or are certainly dead. */
export function isWithinSight(their: Host): boolean {
  const where = locate(their);
  return where === 'here' || where === 'restarted';
}

/** A file of an older version has no host: undefined. A host that makes no sense is not ours. */
export function parseHost(found: unknown): Host | undefined {
  if (found === undefined) return undefined;
  const given = (typeof found === 'object' && found !== null ? found : {}) as Record<string, unknown>;
  const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null);
  return {
    bootId: text(given.bootId),
    pidNamespace: text(given.pidNamespace),
    machineId: text(given.machineId),
    hostName: text(given.hostName) ?? 'unknown',
  };
}

/** Says where the ledger's server was last started. It is outside the data, so that a copy of the data lacks it. */
export const markerFile = 'ledger.host';

/**
 * Refuses a ledger whose server may still run where its pid cannot be seen. Postgres removes its pid file when it
 * shuts down cleanly, so a ledger without one is safe.
 */
export function refuseElsewhere(home: string, dataDir: string): void {
  const pidFile = join(dataDir, 'postmaster.pid');
  if (!existsSync(pidFile)) return;
  const started = readMarker(home);
  if (!started || isWithinSight(started)) return;
  const namespace = locate(started) === 'other-namespace';
  const place = namespace
    ? `in another container (host name ${started.hostName}, namespace ${started.pidNamespace})`
    : `on another machine (host name ${started.hostName})`;
  throw new CarillonError(
    'embedded-unavailable',
    `the server of the ledger in ${dataDir} was started ${place} and has not shut down cleanly`,
    {
      remedy: `Stop the other ${namespace ? 'container' : 'machine'}, or set DATABASE_URL so that several can share one Postgres. If you are sure that the server has ended, as after a crash, remove ${pidFile} and start again.`,
    },
  );
}

function readMarker(home: string): Host | undefined {
  const text = readIfThere(join(home, markerFile));
  if (text === null) return undefined;
  try {
    return parseHost(JSON.parse(text));
  } catch {
    return parseHost(null);
  }
}

function readNamespace(): string | null {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return null;
  }
}
