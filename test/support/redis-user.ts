import { readFileSync } from 'node:fs';

/** The user of Redis that the guide tells people to make, as one line to the server. */
const guide = readFileSync(new URL('../../docs/guides/production.md', import.meta.url), 'utf8');
const [order = ''] = /ACL SETUSER carillon (?:.*\\\n)*.*/.exec(guide) ?? [];
const line = order.replaceAll(/\\\n\s*|'/g, '');

export const redisUser = (password: string) => line.replace('PASSWORD', password);
/** The commands that it may send. */
export const granted = line.match(/(?<=\+)[a-z|]+/g) ?? [];
