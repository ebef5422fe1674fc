import { createHash, randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Clock } from '../../base/clock.ts';
import { type AlertMail, decode } from '../../base/config/alert-mail.ts';
import type { Config } from '../../base/config/config.ts';
import { isLoopback } from '../../base/config/networks.ts';
import { withDeadline } from '../../base/deadline.ts';
import { CarillonError } from '../../base/errors.ts';
import type { Seal } from '../../base/seal.ts';
import type { ResolveHost } from '../../http/resolve.ts';
import type {
  AlertAddressKind,
  AlertAddressRow,
  AlertNotice,
} from '../../ledger/alert-addresses/alert-addresses.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { sealOf, type WebhookDeps } from '../webhooks/manage.ts';
import { createSender, type Message, type Sent } from '../webhooks/send.ts';
import { type AlertMessage, messageOf, shownAlert, testMessage } from './message.ts';

/** Sends alerts to one address: as one message to people, and as an event each to a program. */
type OpenedAddress = { id: string; kind: AlertAddressKind; address: string; secret: string | null };

/** `numbers`: the notices that were taken. `answer`: what the other side said, in its own words where it has any. */
type PostedAlerts = { numbers: number[]; answer: string | null; error: string | null };

export type PostDeps = {
  config: Pick<Config, 'alertMail' | 'publicUrl' | 'webhookAllowPrivate'>;
  clock: Clock;
  resolve?: ResolveHost | undefined;
};

export async function postAlerts(
  deps: PostDeps,
  to: OpenedAddress,
  notices: readonly AlertNotice[],
): Promise<PostedAlerts> {
  if (to.kind === 'url') return postEvents(deps, to, notices.map(eventOf));
  const numbers = notices.map(({ number }) => number);
  const name = createHash('sha256').update(numbers.join()).digest('hex').slice(0, 32);
  const posted = await postMessage(deps, to, messageOf(notices, deps.config.publicUrl), name);
  return { ...posted, numbers: posted.error === null ? numbers : [] };
}

/** `name` is the message's own: a mail that is sent again as it was has the same id, and a reader shows it once. */
async function postMessage(
  deps: PostDeps,
  to: OpenedAddress,
  message: AlertMessage,
  name: string,
): Promise<Omit<PostedAlerts, 'numbers'>> {
  if (to.kind === 'email') return mail(deps.config.alertMail, to, message, `${to.id}.${name}`);
  const body = JSON.stringify(message.slack);
  return withSender(deps, to, async (send) => wordsOf(await send({ id: name, body })));
}

type AlertEvent = { number: number; id: string; body: string };

function eventOf(notice: AlertNotice): AlertEvent {
  const { number, type, at } = notice;
  const id = `evt_alert_${number}`;
  return { number, id, body: JSON.stringify({ id, type, at, data: shownAlert(notice) }) };
}

/** In order, and none after one that was not taken. */
async function postEvents(
  deps: PostDeps,
  to: OpenedAddress,
  events: readonly AlertEvent[],
): Promise<PostedAlerts> {
  return withSender(deps, to, async (send) => {
    const numbers: number[] = [];
    let last: Omit<PostedAlerts, 'numbers'> = { answer: null, error: null };
    const until = deps.clock.monotonic() + mostMs;
    for (const { number, ...message } of events) {
      // The rest goes with the next message.
      if (deps.clock.monotonic() > until) break;
      last = wordsOf(await send(message));
      if (last.error !== null) break;
      numbers.push(number);
    }
    return { ...last, numbers };
  });
}

/** With the last one it is shorter than the lease of the loop that sends alerts, and than what counts as stuck. */
const mostMs = 10_000;

/** Asks a monitor: whatever it answers well is a beat that it took. */
export async function postBeat(deps: PostDeps, to: OpenedAddress): Promise<Omit<PostedAlerts, 'numbers'>> {
  return withSender(deps, to, async (send) => wordsOf(await send({ id: '', body: null })));
}

async function withSender<T>(
  { config, clock, resolve }: PostDeps,
  { address: url, secret }: OpenedAddress,
  work: (send: (message: Message) => Promise<Sent>) => Promise<T>,
): Promise<T> {
  const sender = createSender({ url, secret, allowPrivate: config.webhookAllowPrivate, clock, resolve });
  try {
    return await work(sender.send);
  } finally {
    await sender.close();
  }
}

function wordsOf({ ok, status, error }: Sent): Omit<PostedAlerts, 'numbers'> {
  const answer = status === null ? null : `it answered ${status}`;
  return { answer, error: ok ? null : (error ?? answer) };
}

async function mail(
  server: AlertMail | undefined,
  { address }: OpenedAddress,
  { subject, text }: AlertMessage,
  id: string,
): Promise<Omit<PostedAlerts, 'numbers'>> {
  if (!server) return { answer: null, error: 'ALERT_SMTP_URL is not set in the process that sends it' };
  const { answer, error } = await sendMail(server, { to: address, subject, text, id });
  // The answers of mail servers name the person.
  return { answer: without(answer, address), error: without(error, address) };
}

const without = (text: string | null, address: string) => text?.replaceAll(address, '•••') ?? null;

/** Hands one mail to the server of ALERT_SMTP_URL, and says what the server answered. */
type AlertMailText = { to: string; subject: string; text: string; id: string };

const stepMs = 10_000;
const wholeMs = 20_000;

async function sendMail(
  { url, from }: AlertMail,
  { id, ...mail }: AlertMailText,
): Promise<{ answer: string | null; error: string | null }> {
  // Few send mails, and it is some 150 KB to load.
  const { createTransport } = await import('nodemailer');
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

export type AlertAddressDeps = WebhookDeps & {
  ledger: Ledger;
  config: Pick<Config, 'alertMail' | 'publicUrl'>;
  clock: Clock;
};

export async function findAlertAddress(
  { alertAddresses }: Pick<Ledger, 'alertAddresses'>,
  id: string,
): Promise<AlertAddressRow> {
  const row = z.uuid().safeParse(id).success ? await alertAddresses.find(id) : null;
  if (!row) throw new CarillonError('alert-address-unknown', `The address ${id} was not found`);
  return row;
}

/** Throws `secret-other` where another secret has sealed it. */
export function openAddress(
  seal: Seal,
  { id, kind, sealed }: Pick<AlertAddressRow, 'id' | 'kind' | 'sealed'>,
): OpenedAddress {
  const { address, secret } = JSON.parse(seal.open(sealed, id)) as Pick<OpenedAddress, 'address' | 'secret'>;
  return { id, kind, address, secret };
}

/** Sends a test to an address now, and wakes one that takes it. */
export const triedAlertAddress = z.object({
  id: z.uuid(),
  delivered: z.boolean(),
  answer: z.string().nullable().describe('What the other side said.'),
  error: z.string().nullable(),
  ms: z.int(),
});
type TriedAlertAddress = z.output<typeof triedAlertAddress>;

export async function testAlertAddress(deps: AlertAddressDeps, ref: string): Promise<TriedAlertAddress> {
  const { ledger, config, clock } = deps;
  const row = await findAlertAddress(ledger, ref);
  const to = openAddress(sealOf(config), row);
  const began = clock.monotonic();
  const { answer, error } = await sendTest(deps, to);
  // If it arrived, what is held follows.
  if (error === null) await ledger.alertAddresses.wake(row.id);
  const ms = Math.round(clock.monotonic() - began);
  return { id: row.id, delivered: error === null, answer, error, ms };
}

function sendTest(deps: AlertAddressDeps, to: OpenedAddress): Promise<Omit<PostedAlerts, 'numbers'>> {
  if (to.kind === 'monitor') return postBeat(deps, to);
  const name = randomUUID().replaceAll('-', '');
  if (to.kind !== 'url') return postMessage(deps, to, testMessage(deps.config.publicUrl), name);
  const id = `evt_test_${name}`;
  const at = new Date(deps.clock.now());
  const body = JSON.stringify({ id, type: 'alert.test', at, data: { address: to.id } });
  return postEvents(deps, to, [{ number: 0, id, body } satisfies AlertEvent]);
}
