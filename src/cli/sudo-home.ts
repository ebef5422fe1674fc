import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { exitOf } from '../base/error-catalogue.ts';
import { CarillonError } from '../base/errors.ts';
import type { Say } from '../control/doctor/findings.ts';
import type { Cli } from './command-io.ts';

/**
 * `sudo` changes the home, and with it the ledger: a campaign that the person began without it would begin again, and
 * everyone would be called twice.
 */
export function refuseOtherHome(
  cli: Cli,
  campaign: string,
  person = whoSudoed(cli),
  program = process.argv[1]!,
): void {
  const home = homeOf(cli, person);
  if (!person || home === null) return;
  const knows = lookInto(program, home, campaign, person, cli);
  if (knows === false) return;
  const config = cli.config();
  const why = knows
    ? `the ledger in ${home} already has the campaign ${campaign}`
    : `the ledger in ${home} may have the campaign ${campaign}, and it cannot be read now`;
  throw new CarillonError(
    'home-other',
    `With sudo the ledger would be the one in ${config.home}, but ${why}`,
    { remedy: `Run it without sudo, or set CARILLON_HOME to ${home} or to ${config.home}.` },
  );
}

/** Used by `doctor`, which looks at this home and not at the other. */
export function checkOtherHome(cli: Cli, say: Say, person = whoSudoed(cli)): void {
  const home = homeOf(cli, person);
  if (home === null) return;
  const own = cli.config().home;
  say(
    'warn',
    `with sudo it is ${own}, and the ledger in ${home} is another one`,
    `Run it without sudo, or set CARILLON_HOME to ${home} or to ${own}.`,
  );
}

/** The person's home without `sudo`; null if it has no ledger, or if a home or a ledger is configured. */
function homeOf(cli: Cli, person: Sudoer | null): string | null {
  if (!person) return null;
  const { databaseUrl, settings } = cli.config();
  const { from } = settings.find(({ name }) => name === 'CARILLON_HOME')!;
  if (databaseUrl !== undefined || from !== null) return null;
  const home = join(person.folder, '.carillon');
  return existsSync(join(home, 'ledger', 'PG_VERSION')) ? home : null;
}

type Sudoer = { folder: string; uid?: number; gid?: number };

function whoSudoed({ io: { env } }: Cli): Sudoer | null {
  const user = env.SUDO_USER ?? '';
  if (process.getuid?.() !== 0 || user === 'root' || !/^[\w.][\w.-]*$/.test(user)) return null;
  // The shell knows every user's folder, even one that is not in /etc/passwd.
  const folder = spawnSync('/bin/sh', ['-c', `printf %s ~${user}`], { encoding: 'utf8' }).stdout ?? '';
  if (!folder.startsWith('/')) return null;
  return { folder, uid: Number(env.SUDO_UID), gid: Number(env.SUDO_GID) };
}

/** Runs as that person, so that no file in their home becomes root's. Null if the answer is unknown. */
function lookInto(
  program: string,
  home: string,
  campaign: string,
  { folder, uid, gid }: Sudoer,
  cli: Cli,
): boolean | null {
  const looked = spawnSync(process.execPath, [program, 'campaign', 'show', '--json', '--', campaign], {
    cwd: '/',
    env: { PATH: cli.io.env.PATH, HOME: folder, CARILLON_HOME: home },
    encoding: 'utf8',
    timeout: 60_000,
    ...(Number.isInteger(uid) && Number.isInteger(gid) ? { uid, gid } : {}),
  });
  if (looked.status === 0) return true;
  const exit = exitOf('campaign-unknown');
  return looked.status === exit && looked.stderr.includes(`The campaign ${campaign} was not found`)
    ? false
    : null;
}
