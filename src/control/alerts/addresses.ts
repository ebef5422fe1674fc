import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { isMailAddress } from '../../base/config/alert-mail.ts';
import { CarillonError } from '../../base/errors.ts';
import { markOf, type Seal } from '../../base/seal.ts';
import {
  type AlertAddressKind,
  type AlertAddressRow,
  alertAddressKinds,
} from '../../ledger/alert-addresses/alert-addresses.ts';
import type { RaisedAlert } from '../../ledger/alerts/alerts.ts';
import type { KeyedRequest } from '../../ledger/idempotency/idempotency.ts';
import type { Ledger, Together } from '../../ledger/ledger.ts';
import { type AlertCode, alertCodes, severities } from '../../rules/alert-kinds.ts';
import { readSpan, shortSpan } from '../order/terms/retry-text.ts';
import { claim, keptDays, type Once, once, readKeyed } from '../requests/idempotency.ts';
import { read, text } from '../requests/input.ts';
import { wholeOf } from '../requests/page.ts';
import { shownAs } from '../requests/shown.ts';
import { checkUrl, sealOf } from '../webhooks/manage.ts';
import { makeSecret } from '../webhooks/send.ts';
import { type AlertAddressDeps, findAlertAddress, openAddress } from './send.ts';

/** The addresses that are told of alerts: added, listed and removed. An address is sealed, and shown in part. */
export const wantedAlerts = [...severities, ...alertCodes];

const parts = {
  kind: z
    .enum(alertAddressKinds)
    .describe(
      '`slack`: an incoming webhook. `url`: a program of yours. `monitor`: an address that is asked (GET) each minute while dialling works, and raises its own alarm when it is not; it is told of no alert.',
    ),
  only: z
    .array(z.enum(wantedAlerts as [string, ...string[]]))
    .min(1)
    .max(100)
    .nullable()
    .describe('Codes of alerts, or `critical` or `warning`; null is all.'),
};

export const alertAddressInput = z.strictObject({
  kind: parts.kind,
  address: text(2_000).describe(
    'The URL of Slack’s incoming webhook, an e-mail address, a URL of yours, or that of a monitor.',
  ),
  only: parts.only.optional(),
  at_most: text(20)
    .nullable()
    .optional()
    .describe(
      'The least time between two messages, such as `15m`; what comes meanwhile is told together, but for a critical alert that is raised. Left out, 15 minutes; for a `url`, each alert is told at once, as with null.',
    ),
});

const shownParts = {
  id: z.uuid(),
  kind: parts.kind,
  address: z.string().describe('Without the part that is secret.'),
  only: z.array(z.string()).nullable(),
  at_most: z.string().nullable(),
};
export const madeAlertAddress = z.object({
  ...shownParts,
  secret: z
    .string()
    .nullable()
    .describe('What signs the events to a `url`; it is not shown again. Null for the other kinds.'),
});
export const shownAlertAddress = z
  .object({
    ...shownParts,
    state: z
      .enum(['active', 'failing'])
      .describe(
        '`failing`: the last message did not arrive, and is sent again; or what is due is sent by no process.',
      ),
    reason: z.string().nullable().describe('Why messages do not arrive.'),
    since: z.date().nullable().describe('Since when none arrives.'),
    next_at: z
      .date()
      .nullable()
      .describe('When what is held is sent; null while nothing is, or no process sends it.'),
    held: z.int().describe('Alerts that wait for the next message.'),
    sent: z.int().describe('Messages that arrived.'),
    failed: z.int().describe('Tries that failed.'),
    sent_at: z.date().nullable(),
    created_at: z.date(),
  })
  .meta({ id: 'AlertAddress' });
export const alertAddressesAnswer = wholeOf(shownAlertAddress);

type MadeAlertAddress = z.output<typeof madeAlertAddress>;
type ShownAlertAddress = z.output<typeof shownAlertAddress>;

const usualSeconds = 900;
/** How often a monitor is asked. */
export const beatSeconds = 60;
const mostAddresses = 50;

type AddressMade = { address: string };
type Made = {
  id: string;
  kind: AlertAddressKind;
  address: string;
  only: string[] | null;
  atMost: number;
  secret: string | null;
};

/** It is told what is raised now, and of each alert from then on. */
export async function addAlertAddress(
  deps: AlertAddressDeps,
  body: unknown,
  key?: unknown,
): Promise<Once<MadeAlertAddress>> {
  const { ledger, config } = deps;
  const wanted = read(alertAddressInput, body);
  const request = readKeyed(['alert-address'], key, wanted);
  const seal = sealOf(config);
  return once<MadeAlertAddress, AddressMade>(ledger, request, {
    async again({ address }) {
      const row = await ledger.alertAddresses.find(address);
      return row && { ...partsOf(row), secret: openAddress(seal, row).secret };
    },
    async act() {
      const others = (await ledger.alertAddresses.list()).some(({ sealed }) => markOf(sealed) !== seal.mark);
      if (others) throw new CarillonError('secret-other');
      const made: Made = {
        id: randomUUID(),
        kind: wanted.kind,
        address: await checkAddress(deps, wanted.kind, wanted.address),
        ...termsOf(wanted),
        secret: wanted.kind === 'url' ? makeSecret() : null,
      };
      return ledger.together((verbs) => store(verbs, made, seal, request));
    },
  });
}

async function store(
  { alertAddresses, activity, idempotency }: Together,
  { address, secret, ...made }: Made,
  seal: Seal,
  request: KeyedRequest | null,
): Promise<MadeAlertAddress> {
  await claim(idempotency, request);
  const { id, kind } = made;
  const sealed = seal.seal(JSON.stringify({ address, secret }), id);
  const row = { ...made, sealed, shown: shownPart(kind, address) };
  if (!(await alertAddresses.add(row, mostAddresses))) {
    throw new CarillonError('request-invalid', `There are ${mostAddresses} addresses already`, {
      remedy: 'Remove one that is not needed any more.',
    });
  }
  await activity.record({ verb: 'alert.add', subject: id, after: keptOf(row) });
  if (request) await idempotency.keep(request, { address: id } satisfies AddressMade, keptDays);
  return { ...partsOf(row), secret };
}

export async function listAlertAddresses({
  alertAddresses,
}: Pick<Ledger, 'alertAddresses'>): Promise<{ items: ShownAlertAddress[]; next: null }> {
  return { items: (await alertAddresses.list()).map(showAlertAddress), next: null };
}

/** What waits for it is forgotten. */
export async function removeAlertAddress(
  { ledger }: Pick<AlertAddressDeps, 'ledger'>,
  id: string,
): Promise<ShownAlertAddress> {
  return ledger.together(async ({ alertAddresses, activity }) => {
    const row = await findAlertAddress({ alertAddresses }, id);
    await alertAddresses.remove(row.id);
    await activity.record({ verb: 'alert.remove', subject: row.id, before: keptOf(row) });
    return showAlertAddress(row);
  });
}

type Parts = Pick<AlertAddressRow, 'id' | 'kind' | 'shown' | 'only' | 'atMost'>;

function partsOf({ id, kind, shown, only, atMost }: Parts) {
  return { id, kind, address: shown, only, at_most: atMost === 0 ? null : shortSpan(atMost) };
}

/** The activity is kept: whose mailbox it is does not belong there. */
function keptOf({ kind, only, shown }: Parts | (Omit<Parts, 'only'> & { only: readonly string[] | null })) {
  return { kind, only, address: shown.replace(/^.*@/, '•••@') };
}

function showAlertAddress(row: AlertAddressRow): ShownAlertAddress {
  return shownAs(shownAlertAddress, row, {
    ...partsOf(row),
    state: row.reason === null ? 'active' : 'failing',
    next_at: row.held > 0 ? row.nextAt : null,
  });
}

type Wanted = z.output<typeof alertAddressInput>;

function termsOf({ kind, only, at_most: most }: Wanted): Pick<Made, 'only' | 'atMost'> {
  if (kind !== 'monitor') return { only: only ? [...new Set(only)] : null, atMost: readAtMost(kind, most) };
  if (only || most)
    throw new CarillonError(
      'request-invalid',
      `${only ? 'only' : 'at_most'}: a monitor is told of no alert`,
      { remedy: 'Leave it out: a monitor is asked each minute.' },
    );
  return { only: [], atMost: beatSeconds };
}

function readAtMost(kind: AlertAddressKind, given: string | null | undefined): number {
  if (given === null) return 0;
  if (given === undefined) return kind === 'url' ? 0 : usualSeconds;
  const seconds = readSpan(given);
  if (seconds !== null) return seconds;
  throw new CarillonError('request-invalid', `at_most: "${given}" is not a time`, {
    remedy: 'Give one such as 15m or 1h.',
  });
}

async function checkAddress(deps: AlertAddressDeps, kind: AlertAddressKind, given: string): Promise<string> {
  if (kind !== 'email') return checkUrl(deps, given, 'alert-address');
  if (!isMailAddress(given)) {
    throw new CarillonError('alert-address', 'This is not one e-mail address', {
      remedy: 'Give one, such as ops@example.com.',
    });
  }
  if (!deps.config.alertMail) {
    throw new CarillonError('alert-address', 'No server that sends mails is known', {
      remedy: 'Set ALERT_SMTP_URL and ALERT_FROM, here and for the processes that run.',
    });
  }
  return given;
}

/** Enough to recognise: the end of a path tells two channels apart. */
function shownPart(kind: AlertAddressKind, address: string): string {
  if (kind === 'email') return address;
  const { origin, pathname, search } = new URL(address);
  const rest = pathname + search;
  if (rest === '/') return origin;
  return `${origin}/•••${rest.length > 20 ? rest.slice(-4) : ''}`;
}

/** The alerts that are raised now. */
export const alertShape = z
  .object({
    code: z.enum(alertCodes as [AlertCode, ...AlertCode[]]),
    subject: z.string().describe('Its subject: a key, a process, a machine; empty where there is only one.'),
    severity: z.enum(severities),
    title: z.string(),
    message: z.string(),
    remedy: z.string().describe('The action that settles it.'),
    since: z.date(),
  })
  .meta({ id: 'Alert' });
export const alertsAnswer = wholeOf(alertShape);

export async function listAlerts({
  alerts,
}: Pick<Ledger, 'alerts'>): Promise<{ items: RaisedAlert[]; next: null }> {
  return { items: await alerts.list(), next: null };
}
