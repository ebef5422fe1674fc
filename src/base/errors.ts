/** The one catalogue of what can go wrong: code, what it means, and what to do about it. */
type Entry = {
  /** What happened, in one sentence, for the docs and for problem+json's `title`. */
  title: string;
  /** What the reader can do. */
  remedy: string;
  /** How a command ends that meets it. */
  exit: 1 | 2 | 3 | 130;
  /** The HTTP status the API answers with. */
  status: number;
};

export const catalogue = {
  'config-invalid': {
    title: 'A setting has a value that cannot be used',
    remedy: 'Correct the variable that the message names; .env.example lists them all.',
    exit: 2,
    status: 500,
  },
  'usage-invalid': {
    title: 'The command was given something it does not understand',
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
  'file-broken': {
    title: 'A file is damaged as a whole; nothing of it was taken',
    remedy: 'Mend the line that the message names and start again.',
    exit: 2,
    status: 422,
  },
  'nothing-to-dial': {
    title: 'There is nobody to call',
    remedy: 'Look at the rejected rows and their reasons.',
    exit: 2,
    status: 422,
  },
  'window-empty': {
    title: 'The calling window never opens',
    remedy: 'Give a window whose end lies after its start, and at least one day.',
    exit: 2,
    status: 422,
  },
  'key-denied': {
    title: 'The service does not accept the API key',
    remedy: 'Put a valid key into VOICE_API_KEYS, then run `carillon keys resume <name>`.',
    exit: 2,
    status: 502,
  },
  'caller-unknown': {
    title: 'The caller number is not one of the account’s numbers',
    remedy: 'Run `carillon numbers` to see the numbers that can be used.',
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
    remedy: 'Read the service’s words in the message; `carillon doctor` checks the settings.',
    exit: 1,
    status: 502,
  },
  'campaign-busy': {
    title: 'Another run is dialling this campaign',
    remedy: 'Wait for it to end, or stop it with Ctrl-C where it runs.',
    exit: 2,
    status: 409,
  },
  'campaign-elsewhere': {
    title: 'A campaign of this name belongs to another VOICE_BASE_URL',
    remedy: 'Give another --name, set VOICE_BASE_URL back, or start over with --new.',
    exit: 2,
    status: 409,
  },
  'campaign-unknown': {
    title: 'There is no campaign of this name',
    remedy: 'Run `carillon campaign list` to see the names.',
    exit: 2,
    status: 404,
  },
  'campaign-exists': {
    title: 'There is a campaign of this name already',
    remedy: 'Give another name, or add the recipients to the campaign that exists.',
    exit: 2,
    status: 409,
  },
  'campaign-state': {
    title: 'The campaign is in a state that does not allow this',
    remedy: 'Run `carillon campaign show <name>` to see where it stands.',
    exit: 2,
    status: 409,
  },
  'attempt-unknown': {
    title: 'There is no such attempt',
    remedy: 'Run `carillon unknown list` to see the attempts that wait for a person.',
    exit: 2,
    status: 404,
  },
  'attempt-state': {
    title: 'The attempt is in a state that does not allow this',
    remedy: 'Run `carillon unknown list` to see the attempts that wait for a person.',
    exit: 2,
    status: 409,
  },
  'key-unknown': {
    title: 'There is no key of this name',
    remedy: 'Run `carillon keys` to see the names; they come from VOICE_API_KEYS.',
    exit: 2,
    status: 404,
  },
  'call-unknown': {
    title: 'There is no such call',
    remedy: 'Check the identifier.',
    exit: 2,
    status: 404,
  },
  'request-invalid': {
    title: 'The request does not have the form that is wanted',
    remedy: 'Compare the request with the field that the message names.',
    exit: 2,
    status: 422,
  },
  'request-conflict': {
    title: 'The same Idempotency-Key came with another body',
    remedy: 'Use a new Idempotency-Key for a new call.',
    exit: 2,
    status: 409,
  },
  'phone-suppressed': {
    title: 'The phone number is suppressed and must not be called',
    remedy: 'Leave it; or, if the person asks for calls again, run `carillon suppress remove`.',
    exit: 2,
    status: 409,
  },
  'body-type': {
    title: 'The body has a type that is not taken here',
    remedy:
      'Send JSON with `Content-Type: application/json`; recipients also as application/x-ndjson or text/csv.',
    exit: 2,
    status: 415,
  },
  'body-too-large': {
    title: 'The body is larger than 1 MB',
    remedy: 'Send long lists to POST /api/campaigns/{id}/recipients, which takes any length.',
    exit: 2,
    status: 413,
  },
  'route-unknown': {
    title: 'There is nothing at this address',
    remedy: 'Compare the method and the path with docs/reference/http.md.',
    exit: 2,
    status: 404,
  },
  unauthorized: {
    title: 'The request carries no valid token',
    remedy: 'Send `Authorization: Bearer <API_TOKEN>`.',
    exit: 2,
    status: 401,
  },
  forbidden: {
    title: 'The request is not allowed from there',
    remedy: 'Call the API from loopback with a JSON body, or set API_TOKEN.',
    exit: 2,
    status: 403,
  },
  'ledger-unreachable': {
    title: 'The ledger (Postgres) cannot be reached',
    remedy: 'Check DATABASE_URL, or that the embedded Postgres can start; `carillon doctor` tells more.',
    exit: 1,
    status: 503,
  },
  'ledger-layout': {
    title: 'The ledger was laid out by another version of Carillon',
    remedy: 'Use that version for it, or start a new ledger: another DATABASE_URL, or another CARILLON_HOME.',
    exit: 2,
    status: 503,
  },
  'queue-unreachable': {
    title: 'The queue (Redis) cannot be reached',
    remedy: 'Check REDIS_URL; `carillon doctor` tells more.',
    exit: 1,
    status: 503,
  },
  'loop-stuck': {
    title: 'A loop of this process stands still',
    remedy: 'Read the log for what it waits for, and restart the process; nothing is lost by it.',
    exit: 1,
    status: 503,
  },
  'embedded-unavailable': {
    title: 'The embedded Postgres cannot be started here',
    remedy: 'Set DATABASE_URL to a Postgres 14 or newer, or mend what the message names.',
    exit: 1,
    status: 503,
  },
  'audit-broken': {
    title: 'The balance of a campaign does not hold',
    remedy: 'Keep the ledger as it is and report what `carillon audit --json` prints.',
    exit: 1,
    status: 500,
  },
  interrupted: {
    title: 'The command was interrupted',
    remedy: 'Start it again: it goes on where it stopped.',
    exit: 130,
    status: 503,
  },
  unexpected: {
    title: 'Something happened that nobody foresaw',
    remedy: 'Run again with LOG_LEVEL=debug and report what it prints.',
    exit: 1,
    status: 500,
  },
} as const satisfies Record<string, Entry>;

export type ErrorCode = keyof typeof catalogue;

export class CarillonError extends Error {
  readonly code: ErrorCode;
  readonly remedy: string;

  /** `message` says what happened and where; `remedy` what to do, the catalogue's when it is left out. */
  constructor(code: ErrorCode, message?: string, options: { remedy?: string; cause?: unknown } = {}) {
    super(message ?? catalogue[code].title, { cause: options.cause });
    this.name = 'CarillonError';
    this.code = code;
    this.remedy = options.remedy ?? catalogue[code].remedy;
  }

  get exit(): 1 | 2 | 3 | 130 {
    return catalogue[this.code].exit;
  }

  get status(): number {
    return catalogue[this.code].status;
  }
}

/** One line for stderr: what happened, then what to do. Whatever the cause was, no stack reaches a user. */
export function errorLine(error: unknown): string {
  const line = (text: string) =>
    text
      .replace(/\s+/g, ' ')
      .trim()
      .replace(/[.\s]+$/, '');
  if (error instanceof CarillonError) return `${line(error.message)}. ${error.remedy}`;
  const text = error instanceof Error ? error.message || error.name : String(error);
  return `${line(text)}. ${catalogue.unexpected.remedy}`;
}
