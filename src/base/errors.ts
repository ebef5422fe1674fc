import { accessErrors } from './access-errors.ts';
import { erasureErrors } from './erasure-errors.ts';
import { httpErrors } from './http-errors.ts';
import { ledgerErrors } from './ledger-errors.ts';
import { policyErrors } from './policy-errors.ts';
import { webhookErrors } from './webhook-errors.ts';
import { workErrors } from './work-errors.ts';

/** The one catalogue of errors: the code, what happened, and what to do. */
type Entry = {
  /** What happened, in one sentence, for the docs and for problem+json's `title`. */
  title: string;
  /** What the reader can do. */
  remedy: string;
  /** The exit code of a command that meets it. */
  exit: 1 | 2 | 3 | 130;
  /** The HTTP status the API answers with. */
  status: number;
};

export const catalogue = {
  'config-invalid': {
    title: 'A setting is missing or has an invalid value',
    remedy: 'Correct the variable named in the message; .env.example lists them all.',
    exit: 2,
    status: 500,
  },
  'usage-invalid': {
    title: 'The command has a missing or invalid argument',
    remedy: 'Run the command with --help to see what it takes.',
    exit: 2,
    status: 400,
  },
  'file-unreadable': {
    title: 'A file cannot be read',
    remedy: 'Check the path and the permissions.',
    exit: 2,
    status: 400,
  },
  'file-unwritable': {
    title: 'A file cannot be written',
    remedy: 'Correct what the message names, or give another path.',
    exit: 2,
    status: 500,
  },
  'file-broken': {
    title: 'A file is damaged; nothing was imported from it',
    remedy: 'Fix the line named in the message and start again.',
    exit: 2,
    status: 422,
  },
  'nothing-to-dial': {
    title: 'Nobody can be called',
    remedy: 'Check the rejected rows and their reasons.',
    exit: 2,
    status: 422,
  },
  'policy-invalid': {
    title: 'The contact rules are not valid',
    remedy: 'Correct the field that the message names.',
    exit: 2,
    status: 422,
  },
  'window-empty': {
    title: 'The calling window never opens',
    remedy: 'Give a window that ends after it starts, and at least one day.',
    exit: 2,
    status: 422,
  },
  'key-denied': {
    title: 'The service does not accept the API key',
    remedy: 'Put a valid key in VOICE_API_KEYS, then run `carillon keys resume <name>`.',
    exit: 2,
    status: 502,
  },
  'caller-unknown': {
    title: 'The caller number is not one of the account’s numbers',
    remedy: 'Run `carillon numbers` to see the numbers you can use.',
    exit: 2,
    status: 422,
  },
  'service-unreachable': {
    title: 'The voice service cannot be reached',
    remedy: 'Check VOICE_BASE_URL and the network, then run `carillon doctor`.',
    exit: 2,
    status: 502,
  },
  'service-answer': {
    title: 'The voice service answered with an error',
    remedy: 'Read the service’s answer in the message; `carillon doctor` checks the settings.',
    exit: 1,
    status: 502,
  },
  'campaign-busy': {
    title: 'Another run is dialling this campaign',
    remedy: 'Wait until it ends, or stop it with Ctrl-C where it runs.',
    exit: 2,
    status: 409,
  },
  'campaign-elsewhere': {
    title: 'A campaign with this name belongs to another VOICE_BASE_URL',
    remedy: 'Give another --name, restore VOICE_BASE_URL, or start over with --new.',
    exit: 2,
    status: 409,
  },
  'home-other': {
    title: 'With sudo the campaign would begin again in another home',
    remedy: 'Run it without sudo, or set CARILLON_HOME to the home that you mean.',
    exit: 2,
    status: 409,
  },
  'campaign-unknown': {
    title: 'No campaign has this name',
    remedy: 'Run `carillon campaign list` to see the names.',
    exit: 2,
    status: 404,
  },
  'campaign-exists': {
    title: 'A campaign with this name already exists',
    remedy: 'Give another name, or add the recipients to the existing campaign.',
    exit: 2,
    status: 409,
  },
  'campaign-state': {
    title: 'The campaign’s state does not allow this',
    remedy: 'Run `carillon campaign show <name>` to see its state.',
    exit: 2,
    status: 409,
  },
  'campaign-changed': {
    title: 'The campaign was changed after it was read',
    remedy: 'Read it again, and send the change with its new ETag.',
    exit: 2,
    status: 412,
  },
  'attempt-unknown': {
    title: 'The attempt was not found',
    remedy: 'Run `carillon unknown list` to see the attempts that need a decision.',
    exit: 2,
    status: 404,
  },
  'attempt-state': {
    title: 'The attempt’s state does not allow this',
    remedy: 'Run `carillon unknown list` to see the attempts that need a decision.',
    exit: 2,
    status: 409,
  },
  'key-unknown': {
    title: 'No key has this name',
    remedy: 'Run `carillon keys` to see the names; they come from VOICE_API_KEYS.',
    exit: 2,
    status: 404,
  },
  'call-unknown': {
    title: 'The call was not found',
    remedy: 'Check the identifier.',
    exit: 2,
    status: 404,
  },
  'event-gone': {
    title: 'The event is not kept any more',
    remedy: 'Follow the events again without Last-Event-ID, and read what changed meanwhile from the lists.',
    exit: 2,
    status: 410,
  },
  'recipient-unknown': {
    title: 'The recipient was not found',
    remedy: 'Give the recipient’s id, or the phone in international form, as the results show them.',
    exit: 2,
    status: 404,
  },
  'recipient-state': {
    title: 'The recipient’s state does not allow this',
    remedy: 'Look at the recipient’s attempts first.',
    exit: 2,
    status: 409,
  },
  'request-invalid': {
    title: 'The request is not valid',
    remedy: 'Correct the field named in the message.',
    exit: 2,
    status: 422,
  },
  'request-conflict': {
    title: 'This Idempotency-Key was used with a different body',
    remedy: 'Use a new Idempotency-Key for a new request.',
    exit: 2,
    status: 409,
  },
  ...policyErrors,
  ...webhookErrors,
  ...workErrors,
  'phone-suppressed': {
    title: 'The phone number is suppressed and must not be called',
    remedy: 'Do not call it. If the person asks for calls again, run `carillon suppress remove`.',
    exit: 2,
    status: 409,
  },
  ...erasureErrors,
  ...accessErrors,
  ...httpErrors,
  'ledger-unreachable': {
    title: 'The ledger (Postgres) cannot be reached',
    remedy: 'Check DATABASE_URL, or that the embedded Postgres can start; `carillon doctor` shows more.',
    exit: 1,
    status: 503,
  },
  'ledger-layout': {
    title: 'The ledger was created by another version of Carillon',
    remedy: 'Use that version, or start a new ledger with another DATABASE_URL or CARILLON_HOME.',
    exit: 2,
    status: 503,
  },
  ...ledgerErrors,
  'queue-unreachable': {
    title: 'The queue cannot be reached',
    remedy:
      'Check REDIS_URL, or without it the ledger’s Postgres, which then holds the queue; `carillon doctor` shows more.',
    exit: 1,
    status: 503,
  },
  'loop-stuck': {
    title: 'A loop of this process is stuck',
    remedy: 'Look in the log for what it is waiting for, then restart the process; nothing is lost.',
    exit: 1,
    status: 503,
  },
  'embedded-unavailable': {
    title: 'The embedded Postgres cannot start here',
    remedy: 'Set DATABASE_URL to a Postgres 14 or newer, or fix what the message names.',
    exit: 1,
    status: 503,
  },
  'audit-broken': {
    title: 'The balance of a campaign does not add up',
    remedy: 'Leave the ledger as it is and report what `carillon audit --json` prints.',
    exit: 1,
    status: 500,
  },
  interrupted: {
    title: 'The command was interrupted',
    remedy: 'Run it again: it continues where it stopped.',
    exit: 130,
    status: 503,
  },
  unexpected: {
    title: 'Unexpected error',
    remedy: 'Run again with LOG_LEVEL=debug and report what it prints.',
    exit: 1,
    status: 500,
  },
} as const satisfies Record<string, Entry>;

export type ErrorCode = keyof typeof catalogue;

/** What is wrong with one field of a request: its path, such as `recipients.3.phone`, and words that follow it. */
export type FieldIssue = { path: string; message: string };

/** Besides the message. */
type Told = { remedy?: string; cause?: unknown; issues?: readonly FieldIssue[] };

export class CarillonError extends Error {
  readonly code: ErrorCode;
  readonly remedy: string;
  readonly issues: readonly FieldIssue[];

  /** `message` says what happened and where; `remedy` says what to do, by default as in the catalogue. */
  constructor(code: ErrorCode, message?: string, options: Told = {}) {
    super(message ?? catalogue[code].title, { cause: options.cause });
    this.name = 'CarillonError';
    this.code = code;
    this.remedy = options.remedy ?? catalogue[code].remedy;
    this.issues = options.issues ?? [];
  }

  get exit(): 1 | 2 | 3 | 130 {
    return catalogue[this.code].exit;
  }

  get status(): number {
    return catalogue[this.code].status;
  }
}

/** Without the dots and spaces at its end. Not by a pattern, which would try again at each dot of a hundred thousand. */
function withoutEnd(text: string): string {
  let end = text.length;
  while (end > 0 && (text[end - 1] === '.' || text[end - 1] === ' ')) end -= 1;
  return text.slice(0, end).trimStart();
}

/** One line for stderr: what happened, then what to do. A user never sees a stack trace. */
export function errorLine(error: unknown): string {
  const line = (text: string) => withoutEnd(text.replace(/\s+/g, ' '));
  if (error instanceof CarillonError) return `${line(error.message)}. ${error.remedy}`;
  const text = error instanceof Error ? error.message || error.name : String(error);
  return `${line(text)}. ${catalogue.unexpected.remedy}`;
}
