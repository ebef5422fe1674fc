/**
 * JSON that Postgres accepts. It allows neither a NUL nor half of a surrogate pair, and a person's cell or a service's
 * transcript may hold both: the first is removed, the second replaced.
 */
export function jsonOf(value: unknown): string {
  const text = JSON.stringify(value);
  if (!text.includes('\\u')) return text;
  // Escapes are read one by one from the left, because a backslash may itself be escaped.
  return text.replace(/\\(?:u[0-9a-f]{4}|.)/g, (sign) => {
    if (sign === '\\u0000') return '';
    // A whole pair is never written as escapes: this is half of one.
    return sign.startsWith('\\ud') ? '\\ufffd' : sign;
  });
}
