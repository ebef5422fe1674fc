import { createTransport } from 'nodemailer';
import { type AlertMail, decode } from '../../base/config/alert-mail.ts';
import { isLoopback } from '../../base/config/networks.ts';
import { withDeadline } from '../../base/deadline.ts';

/** Hands one mail to the server of ALERT_SMTP_URL, and says what the server answered. */
type AlertMailText = { to: string; subject: string; text: string; id: string };

const stepMs = 10_000;
const wholeMs = 20_000;

export async function sendMail(
  { url, from }: AlertMail,
  { id, ...mail }: AlertMailText,
): Promise<{ answer: string | null; error: string | null }> {
  const { protocol, hostname, port, username, password } = new URL(url);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const transport = createTransport({
    host,
    ...(port === '' ? {} : { port: Number(port) }),
    secure: protocol === 'smtps:',
    // A password never leaves this machine in clear.
    requireTLS: password !== '' && !isLoopback(hostname),
    ...(username === '' ? {} : { auth: { user: decode(username), pass: decode(password) } }),
    connectionTimeout: stepMs,
    greetingTimeout: stepMs,
    socketTimeout: stepMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const late = () => {
    throw new Error(`the mail server was not done within ${wholeMs / 1_000} s`);
  };
  try {
    const sent = transport.sendMail({ ...mail, from, messageId: `<${id}@carillon.invalid>` });
    const { response } = await withDeadline(sent, wholeMs, late);
    return { answer: response, error: null };
  } catch (error) {
    return { answer: null, error: oneLine((error as Error).message) };
  } finally {
    transport.close();
  }
}

const oneLine = (text: string) => text.replace(/\s+/g, ' ').slice(0, 300);
