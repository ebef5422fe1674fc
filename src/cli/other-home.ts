import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CarillonError, catalogue } from '../base/errors.ts';
import type { Cli } from './cli.ts';

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
  if (!person) return;
  const config = cli.config();
  const { from } = config.settings.find(({ name }) => name === 'CARILLON_HOME')!;
  if (config.databaseUrl !== undefined || from !== null) return;
  const home = join(person.folder, '.carillon');
  if (!existsSync(join(home, 'ledger', 'PG_VERSION'))) return;
  const knows = lookInto(program, home, campaign, person, cli);
  if (knows === false) return;
  const why = knows
    ? `the ledger in ${home} already has the campaign ${campaign}`
    : `the ledger in ${home} may have the campaign ${campaign}, and it cannot be read now`;
  throw new CarillonError(
    'home-other',
    `With sudo the ledger would be the one in ${config.home}, but ${why}`,
    {
      remedy: `Run it without sudo, or set CARILLON_HOME to ${home} or to ${config.home}.`,
    },
  );
}

type Sudoer = { folder: string; uid?: number; gid?: number };

function whoSudoed({ io: { env } }: Cli): Sudoer | null {
  const user = env.SUDO_USER ?? '';
  if (process.getuid?.() !== 0 || user === 'root' || !/^[\w.][\w.-]*$/.test(user)) return null;
  // The shell knows every user's folder, also where they are not in /etc/passwd.
  const folder = spawnSync('/bin/sh', ['-c', `printf %s ~${user}`], { encoding: 'utf8' }).stdout ?? '';
  if (!folder.startsWith('/')) return null;
  return { folder, uid: Number(env.SUDO_UID), gid: Number(env.SUDO_GID) };
}

/** As that person, so that nothing in their home is left to root. Null where it cannot be told. */
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
  const { exit } = catalogue['campaign-unknown'];
  return looked.status === exit && looked.stderr.includes(`The campaign ${campaign} was not found`)
    ? false
    : null;
}
