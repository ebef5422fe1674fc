/**
 * Whether an `If-Match` names a version: a list of ETags, or `*`. An ETag is the version, and in an answer to a GET what
 * else the answer held, after a dot. A proxy that compresses marks it as weak.
 */
export function namesVersion(ifMatch: string, version: string): boolean {
  return ifMatch
    .split(',')
    .map((tag) => tag.trim())
    .some((tag) => tag === '*' || /^(?:W\/)?"([^".]*)(?:\.[^"]*)?"$/.exec(tag)?.[1] === version);
}
