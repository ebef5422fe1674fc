/** The form that a web address must have, before anything is resolved: of a webhook, a recording, or a list. */
type WebUrl = { url: string } | { fault: string };

const longest = 2_000;
/** Other ports below 1024 belong to other protocols: mail, remote shells, name servers. */
const webPorts = ['', '80', '443'];

/**
 * `open`: plain http and any port are allowed, like private networks, by the setting that is named. A `fault` continues the sentence "The URL ...".
 */
export function readWebUrl(
  text: string,
  open: boolean,
  setting: string | null = 'WEBHOOK_ALLOW_PRIVATE',
): WebUrl {
  const given = text.trim();
  if (given.length > longest) return { fault: `is longer than ${longest} characters` };
  if (!URL.canParse(given)) return { fault: 'is not a URL' };
  const url = new URL(given);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return { fault: 'does not start with https://' };
  if (url.protocol === 'http:' && !open) {
    return {
      fault: `starts with http://${setting === null ? '' : `, which is allowed only with ${setting}=1`}`,
    };
  }
  if (url.username || url.password) return { fault: 'has a user name or a password' };
  if (url.hash) return { fault: 'has a # part, which is never sent' };
  if (!open && !webPorts.includes(url.port) && Number(url.port) < 1_024) {
    return { fault: `has port ${url.port}, which is not a port of web servers` };
  }
  return { url: url.href };
}
