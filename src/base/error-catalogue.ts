/** The one catalogue of errors: the code, what happened, and what to do. */
type Entry = {
  /** The event in one sentence, for the docs and for problem+json's `title`. */
  title: string;
  /** What the reader should do. */
  remedy: string;
  /** The exit code of a command that meets it; 2 where none is said. */
  exit?: 1 | 3 | 130;
  /** The HTTP status the API answers with. */
  status: number;
};

export const catalogue = {
  'config-invalid': {
    title: 'A setting is missing or has an invalid value',
    remedy: 'Correct the variable named in the message; .env.example lists them all.',
    status: 500,
  },
  'usage-invalid': {
    title: 'The command has a missing or invalid argument',
    remedy: 'Run the command with --help to see what it takes.',
    status: 400,
  },
  'file-unreadable': {
    title: 'A file cannot be read',
    remedy: 'Check the path and the permissions.',
    status: 400,
  },
  'file-unwritable': {
    title: 'A file cannot be written',
    remedy: 'Correct what the message names, or give another path.',
    status: 500,
  },
  'file-broken': {
    title: 'A file is damaged; nothing was imported from it',
    remedy: 'Fix the line named in the message and start again.',
    status: 422,
  },
  'nothing-to-dial': {
    title: 'Nobody can be called',
    remedy: 'Check the rejected rows and their reasons.',
    status: 422,
  },
  'policy-invalid': {
    title: 'The contact rules are not valid',
    remedy: 'Correct the field that the message names.',
    status: 422,
  },
  'window-empty': {
    title: 'The calling window never opens',
    remedy: 'Give a window that ends after it starts, and at least one day.',
    status: 422,
  },
  'key-denied': {
    title: 'The service does not accept the API key',
    remedy: 'Put a valid key in VOICE_API_KEYS, then run `carillon keys resume <name>`.',
    status: 502,
  },
  'caller-unknown': {
    title: 'The caller number is not one of the account’s numbers',
    remedy: 'Run `carillon numbers` to see the numbers you can use.',
    status: 422,
  },
  'agent-unknown': {
    title: 'The agent is not one of the account’s agents',
    remedy: 'Run `carillon service check` to see the agents, and name one by its id.',
    status: 422,
  },
  'service-unreachable': {
    title: 'The voice service cannot be reached',
    remedy: 'Check VOICE_BASE_URL and the network, then run `carillon doctor`.',
    status: 502,
  },
  'service-answer': {
    title: 'The voice service answered with an error',
    remedy: 'Read the service’s answer in the message; `carillon doctor` checks the settings.',
    exit: 1,
    status: 502,
  },
  'key-busy': {
    title: 'The key has no spare requests now',
    remedy: 'Try again later; nothing was changed.',
    exit: 1,
    status: 503,
  },
  'campaign-busy': {
    title: 'Another run is dialling this campaign',
    remedy: 'Wait until it ends, or stop it with Ctrl-C where it runs.',
    status: 409,
  },
  'campaign-elsewhere': {
    title: 'A campaign with this name belongs to another VOICE_BASE_URL',
    remedy: 'Give another --name, restore VOICE_BASE_URL, or start over with --new.',
    status: 409,
  },
  'home-other': {
    title: 'With sudo, the campaign would start over in another CARILLON_HOME',
    remedy: 'Run it without sudo, or set CARILLON_HOME to the home that you mean.',
    status: 409,
  },
  'campaign-unknown': {
    title: 'No campaign has this name',
    remedy: 'Run `carillon campaign list` to see the names.',
    status: 404,
  },
  'recording-missing': {
    title: 'No recording of this call is known',
    remedy:
      'If the agent records, a recording may arrive minutes after the call: run `carillon call refresh <id>` to ask again.',
    status: 404,
  },
  'parts-unsearchable': {
    title: 'Searching by part of a phone or name needs the extension pg_trgm, which the database lacks',
    remedy:
      'Ask the owner of the database to add the extension pg_trgm, then run `carillon migrate`. Searching by whole phone, id or variable still works.',
    status: 409,
  },
  'campaign-exists': {
    title: 'A campaign with this name already exists',
    remedy: 'Give another name, or add the recipients to the existing campaign.',
    status: 409,
  },
  'campaign-state': {
    title: 'The campaign’s state does not allow this',
    remedy: 'Run `carillon campaign show <name>` to see its state.',
    status: 409,
  },
  'campaign-changed': {
    title: 'The campaign was changed after it was read',
    remedy: 'Read it again, and send the change with its new ETag.',
    status: 412,
  },
  'attempt-unknown': {
    title: 'The attempt was not found',
    remedy: 'Run `carillon unknown list` to see the attempts that need a decision.',
    status: 404,
  },
  'attempt-state': {
    title: 'The attempt’s state does not allow this',
    remedy: 'Run `carillon unknown list` to see the attempts that need a decision.',
    status: 409,
  },
  'key-unknown': {
    title: 'No key has this name',
    remedy: 'Run `carillon keys` to see the names; they come from VOICE_API_KEYS.',
    status: 404,
  },
  'number-unknown': {
    title: 'No caller number is known by this',
    remedy: 'Run `carillon numbers` to see the numbers; give one in E.164, or its id.',
    status: 404,
  },
  'call-unknown': {
    title: 'The call was not found',
    remedy: 'Check the identifier.',
    status: 404,
  },
  'event-gone': {
    title: 'The event is not kept any more',
    remedy: 'Connect again without Last-Event-ID, and read from the lists what has changed since.',
    status: 410,
  },
  'recipient-unknown': {
    title: 'The recipient was not found',
    remedy: 'Give the recipient’s id, or the phone in international form, as the results show them.',
    status: 404,
  },
  'recipient-state': {
    title: 'The recipient’s state does not allow this',
    remedy: 'Look at the recipient’s attempts first.',
    status: 409,
  },
  'request-invalid': {
    title: 'The request is not valid',
    remedy: 'Correct the field named in the message.',
    status: 422,
  },
  'request-conflict': {
    title: 'This Idempotency-Key was used with a different body',
    remedy: 'Use a new Idempotency-Key for a new request.',
    status: 409,
  },
  'policy-differs': {
    title: 'The contact rules of this process are not those in force',
    remedy: 'Give every process the same CARILLON_POLICY, then restart this one.',
    status: 503,
  },
  'keys-differ': {
    title: 'The keys or rates of this process are not those in use',
    remedy:
      'Give every process the same VOICE_API_KEYS and VOICE_RATE, and restart those that differ; or confirm this one with `carillon keys confirm NAME`.',
    status: 503,
  },
  'policy-in-file': {
    title: 'The contact rules in force come from a file',
    remedy:
      'Change the file that CARILLON_POLICY names and restart. To set rules without a file, write {} into it, restart, then unset CARILLON_POLICY.',
    status: 409,
  },
  'keep-in-environment': {
    title: 'CARILLON_KEEP_DAYS says how long data is kept',
    remedy:
      'Change CARILLON_KEEP_DAYS where each process is started; or unset it there, and set the days here.',
    status: 409,
  },
  'policy-holds': {
    title: 'The contact rules never allow this call',
    remedy:
      'Name the person’s state or time zone in a list (`carillon run FILE --map state=COL`), or ignore the contact rules for this call (--ignore-policy).',
    status: 409,
  },
  'clock-off': {
    title: 'This machine’s clock differs from the ledger’s by more than a minute',
    remedy: 'Synchronise both with NTP.',
    status: 503,
  },
  'webhook-unknown': {
    title: 'The webhook was not found',
    remedy: 'Run `carillon webhook list` to see the webhooks and their ids.',
    status: 404,
  },
  'webhook-address': {
    title: 'A webhook may not go to this address',
    remedy: 'Give a public https:// address, or set WEBHOOK_ALLOW_PRIVATE=1 to allow private networks.',
    status: 422,
  },
  'alert-address-unknown': {
    title: 'The address of alerts was not found',
    remedy: 'Run `carillon alert list` to see the addresses and their ids.',
    status: 404,
  },
  'alert-address': {
    title: 'Alerts cannot go to this address',
    remedy: 'Give a public https:// address, or an e-mail address where ALERT_SMTP_URL is set.',
    status: 422,
  },
  'secret-other': {
    title: 'Secrets of webhooks or alerts in this ledger were sealed with another CARILLON_SECRET',
    remedy:
      'Set the CARILLON_SECRET that sealed them (or copy the file "secret" from that CARILLON_HOME); or remove these webhooks and addresses and add them again.',
    status: 503,
  },
  'import-unknown': {
    title: 'This import was not found',
    remedy: 'List imports with GET /api/imports; they are kept for 30 days after they end.',
    status: 404,
  },
  'list-gone': {
    title: 'This list is not kept any more',
    remedy: 'Send it again with the same id; it is kept for 15 minutes after each use.',
    status: 404,
  },
  'bulk-unknown': {
    title: 'This bulk act was not found',
    remedy: 'List bulk acts with `carillon bulk list`; they are kept for 90 days after they end.',
    status: 404,
  },
  'bulk-more': {
    title: 'The filter finds more people than were confirmed',
    remedy: 'Count them again with a dry run, and confirm that number.',
    status: 409,
  },
  'bulk-no-result': {
    title: 'This bulk act has no rows to read',
    remedy: 'Only an export has rows, and they are kept for seven days. Start another export.',
    status: 409,
  },
  'phone-suppressed': {
    title: 'The phone number is suppressed and must not be called',
    remedy: 'Do not call it. If the person asks for calls again, run `carillon suppress remove`.',
    status: 409,
  },
  'phone-erased': {
    title: 'The person with this phone number was erased and must not be called',
    remedy: 'Do not call it. If the person asks for calls again, run `carillon erase PHONE --lift`.',
    status: 409,
  },
  'erasures-differ': {
    title: 'People were erased under another CARILLON_SECRET, so this process cannot know whom not to call',
    remedy:
      'Set CARILLON_SECRET to the one under which they were erased, or restore the file "secret" in CARILLON_HOME, then restart. If it is lost for good: `carillon erase --forget-secret`.',
    status: 503,
  },
  unauthorized: {
    title: 'The request has no valid token',
    remedy: 'Send `Authorization: Bearer <token>`, with API_TOKEN or a token of `carillon token create`.',
    status: 401,
  },
  'provider-away': {
    title: 'The login provider did not answer correctly',
    remedy: 'Try again, or log in with a token. If it keeps failing, check OIDC_ISSUER and OIDC_CLIENT_ID.',
    status: 502,
  },
  forbidden: {
    title: 'The request is not allowed',
    remedy: 'Call the API from loopback with a JSON body, or set API_TOKEN.',
    status: 403,
  },
  'too-many-requests': {
    title: 'This token sends too many requests',
    remedy: 'Wait as long as Retry-After says, then send it again.',
    status: 429,
  },
  'token-exists': {
    title: 'A token with this name already exists',
    remedy: 'Give another name, or revoke that token first with `carillon token revoke`.',
    status: 409,
  },
  'token-unknown': {
    title: 'The token was not found',
    remedy: 'Run `carillon token list` to see the names.',
    status: 404,
  },
  'view-unknown': {
    title: 'The view was not found',
    remedy: 'Look at the list of views: it may have another name.',
    status: 404,
  },
  'body-type': {
    title: 'The content type of the body is not supported here',
    remedy:
      'Send JSON with `Content-Type: application/json`; recipients may also be application/x-ndjson, text/csv or an XLSX workbook.',
    status: 415,
  },
  'body-too-large': {
    title: 'The body is larger than 1 MB',
    remedy: 'Send long lists to POST /api/campaigns/{id}/recipients, which accepts any length.',
    status: 413,
  },
  'method-unknown': {
    title: 'The address does not take this method',
    remedy: 'Use one of the methods in the answer’s `Allow` header.',
    status: 405,
  },
  'route-unknown': {
    title: 'There is nothing at this address',
    remedy: 'Check the method and the path at /api/docs.',
    status: 404,
  },
  'too-many-readers': {
    title: 'Too many event streams, recordings or lists are open in this process',
    remedy: 'Wait as long as Retry-After says, ask another process, or close streams that you do not need.',
    status: 503,
  },
  stopping: {
    title: 'This process is stopping',
    remedy:
      'Wait as long as Retry-After says, then send it again: another process or the restarted one answers.',
    status: 503,
  },
  'request-in-progress': {
    title: 'The same request is still in progress',
    remedy: 'Wait as long as Retry-After says, then send it again, with the same Idempotency-Key.',
    status: 409,
  },
  'version-changed': {
    title: 'It was changed after it was read',
    remedy: 'Read it again, and send the change with the ETag of that answer.',
    status: 412,
  },
  'ledger-unreachable': {
    title: 'The ledger (Postgres) cannot be reached',
    remedy: 'Check DATABASE_URL, or that the embedded Postgres can start; `carillon doctor` shows more.',
    exit: 1,
    status: 503,
  },
  'ledger-layout': {
    title: 'The ledger was created by another version of Carillon',
    remedy: 'Use that version, or start a new ledger with another DATABASE_URL or CARILLON_HOME.',
    status: 503,
  },
  'ledger-unconfirmed': {
    title: 'The ledger has lost some of its history, and a person must confirm it',
    remedy: 'Run `carillon ledger confirm --lost-since TIME`; until then nobody is called.',
    exit: 3,
    status: 503,
  },
  'ledger-running': {
    title: 'The ledger is in use',
    remedy: 'Stop every Carillon process of this CARILLON_HOME first, and wait until it has ended.',
    status: 409,
  },
  'backup-broken': {
    title: 'The backup cannot be used',
    remedy: 'Restore another one; the ledger was not changed.',
    status: 500,
  },
  'backup-elsewhere': {
    title: 'Carillon does not back up or restore a Postgres of your own',
    remedy: 'Use the tools of your Postgres. After a restore, run `carillon ledger confirm`.',
    status: 409,
  },
  'queue-unreachable': {
    title: 'The queue cannot be reached',
    remedy:
      'Check REDIS_URL; without it, the queue is in the ledger’s Postgres. `carillon doctor` shows more.',
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

export function exitOf(code: ErrorCode): 1 | 2 | 3 | 130 {
  const entry: Entry = catalogue[code];
  return entry.exit ?? 2;
}
