import { connect } from 'node:tls';
import { AbstractConnector, type RedisOptions, SentinelConnector } from 'ioredis';

/**
 * How connections over TLS are opened. One whose certificate is refused may report a second error, and the client's own
 * hears only the first: the second would end the process.
 */
class TlsConnector extends AbstractConnector {
  private readonly options: RedisOptions;

  constructor(options: unknown) {
    super((options as RedisOptions).disconnectTimeout ?? 2_000);
    this.options = options as RedisOptions;
  }

  async connect() {
    const { host, port, family, tls } = this.options;
    const stream = connect({ host, port, ...(family ? { family } : {}), ...tls });
    stream.on('error', (error) => {
      this.firstError ??= error;
    });
    this.stream = stream;
    return stream;
  }
}

class TlsSentinelConnector extends SentinelConnector {
  constructor(options: unknown) {
    super(options as RedisOptions);
    // How it opens its own connections cannot be set.
    const opener = this as unknown as { connectToSentinel(endpoint: object, own?: object): unknown };
    const open = opener.connectToSentinel.bind(this);
    opener.connectToSentinel = (endpoint, own) => open(endpoint, { ...own, Connector: TlsConnector });
  }

  override async connect(tell: (type: string, error: Error) => void) {
    const stream = await super.connect(tell);
    stream.on('error', () => undefined);
    return stream;
  }
}

/** For one server, and each of a Cluster. */
export const overTls = { tls: {}, Connector: TlsConnector };
/** For the master that Sentinels name, and for them: without the middle two, TLS would be for neither. */
export const sentinelOverTls = {
  tls: {},
  sentinelTLS: {},
  enableTLSForSentinelMode: true,
  Connector: TlsSentinelConnector,
};
