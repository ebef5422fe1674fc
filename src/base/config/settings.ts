import { parseKeys } from './keys.ts';

/** The settings as a process has read them, for people who look for a wrong one; secrets are never included. */
export type SettingSeen = Readonly<{
  name: string;
  /** Null if it is not set and the default holds. */
  from: 'environment' | '.env' | null;
  /** Null if it is not set, or secret; for VOICE_API_KEYS the names only. */
  value: string | null;
  secret: boolean;
}>;

/**
 * Secrets are recognised by their names, so that a new one is not shown by mistake. Anyone who knows the address of a
 * heartbeat can send it.
 */
const secret = /(KEY|TOKEN|SECRET|PASSWORD|HEARTBEAT)(?!S?_FILE)/;

export function seeSetting(
  name: string,
  text: string | undefined,
  from: 'environment' | '.env',
): SettingSeen {
  const isSecret = secret.test(name);
  if (text === undefined) return { name, from: null, value: null, secret: isSecret };
  return { name, from, value: shown(name, text, isSecret), secret: isSecret };
}

function shown(name: string, text: string, isSecret: boolean): string | null {
  if (name === 'VOICE_API_KEYS')
    return parseKeys(text)
      .map((key) => key.name)
      .join(', ');
  if (isSecret) return null;
  // A proxy's user name may be a token, and the text need not be a whole URL.
  if (/_proxy$/i.test(name)) return text.replace(/^(.*?:\/\/)?.*@/, '$1***@');
  return name.endsWith('_URL') ? withoutPassword(text) : text;
}

/** A URL may hold a password, in its query as well. */
function withoutPassword(text: string): string {
  if (!URL.canParse(text)) return text;
  const url = new URL(text);
  if (url.password) url.password = '***';
  for (const name of url.searchParams.keys())
    if (/pass|key|token|secret/i.test(name)) url.searchParams.set(name, '***');
  return url.href;
}
