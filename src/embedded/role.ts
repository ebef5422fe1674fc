import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../base/disk-errors.ts';
import { CarillonError } from '../base/errors.ts';
import type { Account } from './account.ts';
import { connect } from './lease.ts';
import type { ServerAddress } from './server.ts';

/**
 * Two roles use the embedded server. The superuser only starts it, makes the other role, and does what a backup needs.
 * Everything else is done by a role that owns the ledger's database and may do nothing besides: an injected statement
 * could not read a file or start a program.
 */
type Role = Readonly<{ user: string; file: string }>;

const superuser: Role = { user: 'carillon', file: 'carillon.password' };
const app: Role = { user: 'carillon_app', file: 'carillon_app.password' };
export const superuserFile = superuser.file;

const sql = readFileSync(new URL('./role.sql', import.meta.url), 'utf8');

export const superuserUrl = (dataDir: string, address: ServerAddress) => urlOf(superuser, dataDir, address);

/** The address for the ledger and the queue; the role exists since `makeRole`. */
export const appUrl = (dataDir: string, address: ServerAddress) => urlOf(app, dataDir, address);

/**
 * Makes the role if it is missing, or gives it what an older Carillon kept for the superuser. Called under the
 * starters' lock: at each start of a server, and when one is found that an older Carillon started.
 */
export async function makeRole(
  dataDir: string,
  address: ServerAddress,
  account: Account | undefined,
): Promise<void> {
  const path = join(dataDir, app.file);
  const known = existsSync(path);
  const password = known ? readPassword(path) : randomBytes(24).toString('base64url');
  const client = await connect(superuserUrl(dataDir, address));
  try {
    await client.query('BEGIN');
    await client.query(`SELECT set_config('carillon.app_password', $1, true)`, [password]);
    await client.query(sql);
    await client.query('COMMIT');
  } catch (error) {
    const why = (error as Error).message;
    throw new CarillonError('embedded-unavailable', `the ledger’s database role cannot be made: ${why}`, {
      remedy: `Read postgres.log next to ${dataDir}, or set DATABASE_URL to a Postgres 14 or newer.`,
      cause: error,
    });
  } finally {
    await client.end().catch(() => {});
  }
  // Written after the role, so that a start that is killed in between makes both again.
  if (!known) replaceFile(path, password, account);
}

export const hasRole = (dataDir: string) => existsSync(join(dataDir, app.file));

/**
 * The socket is in the data's folder, which nobody else may enter. Anyone can take a port once its server has died, so
 * there the password is only ever proved, never sent.
 */
function urlOf({ user, file }: Role, dataDir: string, { port, onLoopback }: ServerAddress): string {
  const url = `postgres://${user}:${readPassword(join(dataDir, file))}@127.0.0.1:${port}/postgres`;
  return `${url}?${onLoopback ? 'require_auth=scram-sha-256' : `host=${encodeURIComponent(dataDir)}`}`;
}

function readPassword(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    throw new CarillonError('embedded-unavailable', `the ledger’s password in ${path} cannot be read`, {
      remedy:
        'Run as the user who made the ledger, or set a new password as docs/guides/operating.md describes.',
      cause: error,
    });
  }
}
