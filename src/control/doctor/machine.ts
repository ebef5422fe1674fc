import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Config } from '../../base/config/config.ts';
import { isLoopback } from '../../base/config/networks.ts';
import { rateOf } from '../../base/config/of-key.ts';
import { spooled, spoolFolder } from '../../dispatch/disk/spool.ts';
import { judgeAddress } from '../../voice/address.ts';
import { type LoadedService, loadService } from '../../voice/load-service.ts';
import type { Say } from './findings.ts';

/** Checks that need no request: of this machine, and of the settings. */
const leastNode = [20, 19] as const;

export function checkNode(say: Say) {
  const { node } = process.versions;
  const [major = 0, minor = 0] = node.split('.').map(Number);
  const old = major < leastNode[0] || (major === leastNode[0] && minor < leastNode[1]);
  if (old) say('fail', `Node ${node} is too old`, 'Install Node 20.19 or newer, preferably 24.');
  else if (major % 2 === 1)
    say('warn', `Node ${node} is not a long-term support version`, 'Use Node 20, 22, 24 or 26.');
  else say('ok', `Node ${node}`);
}

export function checkProfile(config: Config, say: Say): LoadedService {
  const { service, profilePath } = config.voice;
  const loaded = loadService(service, profilePath);
  const { title, read_on: readOn } = loaded.description;
  const read = readOn === undefined ? '' : `, as it described itself on ${readOn}`;
  say('ok', `${title}${read}${profilePath === undefined ? '' : `, with ${profilePath}`}`);
  return loaded;
}

/** Creates nothing: the nearest existing folder shows whether the rest can be created. */
export function checkHome({ home }: Config, say: Say) {
  let folder = home;
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
  const remedy = 'Set CARILLON_HOME to a folder that this user may write to.';
  if (!statSync(folder).isDirectory()) return say('fail', `${folder} is not a folder`, remedy);
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch {
    return say('fail', `${folder} cannot be written to by this user`, remedy);
  }
  say('ok', folder === home ? home : `${home}, which is created when it is needed`);
}

/** Call ids that could not be written to the ledger wait there for the next worker. */
export function checkSpool({ home }: Config, say: Say) {
  const folder = spoolFolder(home);
  const broken = spooled(home, true).length;
  if (broken > 0) {
    return say(
      'warn',
      `${broken} ${broken === 1 ? 'file' : 'files'} in ${folder} cannot be read as call ids`,
      'Each may name a call that the ledger does not know: read it, settle its attempt with `carillon unknown`, and remove the file.',
    );
  }
  const waiting = spooled(home).length;
  if (waiting === 0) return say('ok', 'no call ids wait on the disk');
  say(
    'warn',
    `${waiting} call ${waiting === 1 ? 'id waits' : 'ids wait'} in ${folder} for the ledger`,
    'Start `carillon up`, `carillon worker` or the campaign’s run: each writes what waits there to the ledger.',
  );
}

export function checkApi({ host, port, apiToken, apiReadToken }: Config, say: Say) {
  const place = `${host}:${port}`;
  if (!apiToken && !isLoopback(host)) {
    return say(
      'fail',
      `${place} is open to others and API_TOKEN is not set`,
      'Set API_TOKEN, or HOST to 127.0.0.1.',
    );
  }
  if (apiReadToken && apiReadToken === apiToken) {
    return say(
      'warn',
      'API_READ_TOKEN is the same as API_TOKEN',
      'Give it another value: now its holders can dial.',
    );
  }
  if (!apiToken && apiReadToken) {
    return say('warn', 'API_READ_TOKEN is set without API_TOKEN', 'Set API_TOKEN too, or neither.');
  }
  for (const [name, token] of Object.entries({ API_TOKEN: apiToken, API_READ_TOKEN: apiReadToken })) {
    if (token && token.length < 16)
      return say('warn', `${name} is short enough to be guessed`, 'Use 32 random characters or more.');
  }
  say('ok', apiToken ? `${place}, with a token` : `${place}, for this machine only`);
}

/** True when there is a service to ask. */
export function checkService({ voice, ...rest }: Config, say: Say): boolean {
  const config = { voice, ...rest };
  if (!voice.baseUrl) {
    say(
      'fail',
      'VOICE_BASE_URL is not set',
      'Set it to the service’s address with /v1; `carillon sim` starts one to try.',
    );
    return false;
  }
  if (voice.keys.length === 0) {
    say('fail', 'VOICE_API_KEYS is not set', 'Set it to name=secret, or several separated by commas.');
    return false;
  }
  const names = voice.keys.map((key) => `${key.name} at ${rateText(rateOf(config, key.name))}`).join(', ');
  const doubt = judgeAddress(config);
  if (doubt) say('warn', doubt.detail, doubt.remedy);
  else say('ok', `${voice.baseUrl}, keys ${names}`);
  return true;
}

function rateText(rate: number | 'auto'): string {
  return rate === 'auto' ? 'a learned rate' : `${rate}/s`;
}
