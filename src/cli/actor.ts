import { hostname, userInfo } from 'node:os';
import type { Actor } from '../base/actor.ts';

/** The person who types a command, for the activity: anyone who can start one here may do everything. */
export function whoTypes(): Actor {
  return { name: 'cli', person: null, role: 'admin', address: `${userName()}@${hostname()}`, token: null };
}

/** A container's user may have no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
