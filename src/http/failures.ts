/** Why a connection failed, and to which host, in words for a person. */
type Failure = Error & { code?: string; errors?: Failure[] };

export function explain(error: Failure, host: string): string {
  const code = error.code ?? error.errors?.[0]?.code ?? '';
  switch (code) {
    case 'ECONNREFUSED':
      return `${host} refused the connection`;
    case 'ENOTFOUND':
      return `the host name of ${host} does not exist`;
    case 'EAI_AGAIN':
      return `the host name of ${host} cannot be resolved now`;
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return `no route to ${host} (${code})`;
    case 'UND_ERR_CONNECT_TIMEOUT':
    case 'ETIMEDOUT':
      return `the connection to ${host} timed out`;
    case 'ECONNRESET':
    case 'EPIPE':
      return `${host} reset the connection`;
    case 'UND_ERR_SOCKET':
      return `${host} closed the connection`;
  }
  const text = (error.message || error.name).replace(/\s+/g, ' ').trim();
  if (/CERT|SSL|TLS|SIGNATURE/.test(code)) return `no trusted TLS connection to ${host}: ${text} (${code})`;
  if (code.startsWith('HPE_')) return `${host} sent no valid HTTP: ${text} (${code})`;
  return code ? `${text} (${code})` : text;
}
