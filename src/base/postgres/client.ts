import pg from 'pg';

/**
 * A client of Postgres that heeds `require_auth=scram-sha-256` in its URL, as libpq's do: a server must prove that it
 * knows the password, and is never sent it. pg itself sends it in the clear to any server that asks.
 */
export class Client extends pg.Client {
  private readonly mustProve: boolean;
  private hasProved = false;

  constructor(config?: pg.ClientConfig) {
    super(config);
    this.mustProve = demandsProof(config?.connectionString);
  }

  // The methods below override how pg answers the server's authentication requests. Its types lack them.
  _handleAuthCleartextPassword(message: unknown): void {
    if (this.mustProve) this.refuse();
    else inherited._handleAuthCleartextPassword!.call(this, message);
  }

  _handleAuthMD5Password(message: unknown): void {
    if (this.mustProve) this.refuse();
    else inherited._handleAuthMD5Password!.call(this, message);
  }

  _handleAuthSASLFinal(message: unknown): void {
    inherited._handleAuthSASLFinal!.call(this, message);
    // pg forgets the exchange once the server's proof was right.
    this.hasProved = (this as unknown as { saslSession: unknown }).saslSession === null;
  }

  _handleReadyForQuery(message: unknown): void {
    if (this.mustProve && !this.hasProved) this.refuse();
    else inherited._handleReadyForQuery!.call(this, message);
  }

  private refuse(): void {
    const { connection } = this as unknown as { connection: { stream: { destroy(error: Error): void } } };
    connection.stream.destroy(
      new Error(
        'the server at the address does not prove that it knows the password (require_auth=scram-sha-256)',
      ),
    );
  }
}

const inherited = pg.Client.prototype as unknown as Record<
  string,
  ((this: pg.Client, value: unknown) => void) | undefined
>;

function demandsProof(url: string | undefined): boolean {
  return (
    url !== undefined &&
    URL.canParse(url) &&
    new URL(url).searchParams.get('require_auth') === 'scram-sha-256'
  );
}
