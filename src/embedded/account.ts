import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fchownSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { diskTrouble, makeFolder } from '../base/disk-errors.ts';
import { CarillonError } from '../base/errors.ts';

/** Postgres refuses to run as root: this finds an account that it can run as, and a home that the account can reach. */
export type Account = Readonly<{ uid: number; gid: number }>;

/** The account that the server runs as, or nothing when it is our own. */
export function chooseAccount(dataDir: string): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  if (existsSync(dataDir)) {
    // Postgres runs only as the owner of its data, so an existing ledger decides.
    const { uid, gid } = statSync(dataDir);
    if (uid !== 0) return { uid, gid };
  }
  const accounts = readAccounts();
  for (const name of ['postgres', '_postgres', 'nobody']) {
    const found = accounts.get(name);
    if (found && found.uid !== 0) return found;
  }
  throw new CarillonError(
    'embedded-unavailable',
    'Postgres does not run as root, and this machine has neither a user postgres nor a user nobody',
    { remedy: 'Run as another user, or set DATABASE_URL.' },
  );
}

const folderItself = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** Gives a folder to the server's account by its open descriptor: its name may be a link to another one by now. */
export function giveFolder(path: string, account: Account | undefined): void {
  if (account) onFolder(path, (folder) => fchownSync(folder, account.uid, account.gid));
}

function onFolder(path: string, act: (folder: number) => void): void {
  const folder = openSync(path, folderItself);
  try {
    act(folder);
  } finally {
    closeSync(folder);
  }
}

/** Makes the home, and makes sure that the account can enter it. Resolves symbolic links. */
export function prepareHome(home: string, account: Account | undefined): string {
  const made = !existsSync(home);
  try {
    makeFolder(home, account ? 0o711 : 0o700);
  } catch (error) {
    throw new CarillonError(
      'embedded-unavailable',
      `the folder ${home} cannot be created: ${diskTrouble(error) ?? (error as Error).message}`,
      {
        remedy: 'Set CARILLON_HOME to a folder that you can write to, or set DATABASE_URL.',
        cause: error,
      },
    );
  }
  const path = realpathSync(home);
  if (!account) return path;
  const mode = statSync(path).mode & 0o777;
  if ((mode & 0o011) !== 0o011 && isOurs(path, made)) onFolder(path, (it) => fchmodSync(it, mode | 0o011));
  for (let folder = path; ; folder = dirname(folder)) {
    if (!canEnter(folder, account)) {
      throw new CarillonError(
        'embedded-unavailable',
        `Postgres does not run as root, and its account (uid ${account.uid}) cannot enter ${folder}`,
        { remedy: 'Set CARILLON_HOME to a folder that every user can reach, or set DATABASE_URL.' },
      );
    }
    if (folder === dirname(folder)) return path;
  }
}

function isOurs(path: string, made: boolean): boolean {
  const { uid } = statSync(path);
  if (uid !== process.getuid?.()) return false;
  const entries = readdirSync(path);
  return made || entries.length === 0 || existsSync(join(path, 'ledger', 'PG_VERSION'));
}

function canEnter(folder: string, { uid, gid }: Account): boolean {
  const stat = statSync(folder);
  if (stat.uid === uid) return (stat.mode & 0o100) !== 0;
  if (stat.gid === gid) return (stat.mode & 0o010) !== 0;
  return (stat.mode & 0o001) !== 0;
}

/** `/etc/passwd` lists the system accounts on Linux and macOS alike. */
function readAccounts(): Map<string, Account> {
  const accounts = new Map<string, Account>();
  let text = '';
  try {
    text = readFileSync('/etc/passwd', 'utf8');
  } catch {
    return accounts;
  }
  for (const line of text.split('\n')) {
    const [name, , uid, gid] = line.split(':');
    if (!name || name.startsWith('#') || !uid || !gid) continue;
    accounts.set(name, { uid: Number(uid) | 0, gid: Number(gid) | 0 });
  }
  return accounts;
}
