import { wrong } from './keys.ts';

/** The server by which alerts are mailed, and from whom they come. */
export type AlertMail = Readonly<{ url: string; from: string }>;

export function parseAlertMail(url: string | undefined, from: string | undefined): AlertMail | undefined {
  if (from !== undefined && !isMailAddress(from))
    throw wrong('ALERT_FROM', 'is not an e-mail address such as alerts@example.com');
  if (url === undefined) return undefined;
  const { hostname, username } = new URL(url);
  if (hostname === '')
    throw wrong('ALERT_SMTP_URL', 'names no server', 'Write smtps://user:password@host:465.');
  const user = decode(username);
  const sender = from ?? (isMailAddress(user) ? user : undefined);
  if (sender === undefined)
    throw wrong(
      'ALERT_FROM',
      'is not set, and ALERT_SMTP_URL is',
      'Set it to the address that alerts come from.',
    );
  return { url, from: sender };
}

/** One plain address: a name beside it, or a second address, would be a way to write headers. */
export function isMailAddress(text: string): boolean {
  return text.length <= 254 && /^[^\s@<>,;:"()[\]\\]+@[^\s@<>,;:"()[\]\\]+$/.test(text);
}

/** A user name with a stray percent sign is taken as it stands. */
export function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
