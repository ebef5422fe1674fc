/** A mail server: an SMTP server of another house that keeps what it takes, read by a parser of a third. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';

export type TakenMail = { from: string; to: string[]; user: string | null; mail: Email };

export type MailServer = Awaited<ReturnType<typeof startMailServer>>;

/** With a password, it takes mails only from who knows it. */
export async function startMailServer(password?: string) {
  const taken: TakenMail[] = [];
  const server = new SMTPServer({
    hideSTARTTLS: true,
    disableReverseLookup: true,
    authOptional: password === undefined,
    allowInsecureAuth: true,
    onAuth({ username, password: given }, _session, done) {
      if (given === password) done(null, { user: username });
      else done(new Error('Invalid login'));
    },
    onRcptTo({ address }, _session, done) {
      if (box.refuses === null) return done();
      done(Object.assign(new Error(`<${address}>: ${box.refuses}`), { responseCode: 550 }));
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', async () => {
        const { mailFrom, rcptTo } = session.envelope;
        const mail = await PostalMime.parse(Buffer.concat(chunks));
        const from = mailFrom === false ? '' : mailFrom.address;
        taken.push({ from, to: rcptTo.map(({ address }) => address), user: session.user ?? null, mail });
        done(null, 'taken');
      });
    },
  });
  server.on('error', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  const box = {
    url: `smtp://127.0.0.1:${port}`,
    port,
    taken,
    /** Why it takes no mail, for the next ones. */
    refuses: null as string | null,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
  return box;
}
