/**
 * A summary of each command, in groups, in the order in which a newcomer meets them. Kept apart from the commands,
 * because the list of them is shown without loading any.
 */
export const summaries = {
  demo: {
    group: 'Run',
    does: 'Dispatch a sample campaign on a simulated service, with a fresh ledger of its own. Nobody is called.',
  },
  run: {
    group: 'Run',
    does: 'Call everybody on a list, and keep every result. Started again, it resumes.',
  },
  up: { group: 'Run', does: 'Run the API, the page and the background workers in one process.' },
  api: { group: 'Run', does: 'Run only the API and the page; workers run elsewhere.' },
  worker: {
    group: 'Run',
    does: 'Run background workers, which dial campaigns started by the API or `campaign resume`. Start as many as you like.',
  },
  campaign: {
    group: 'Campaigns',
    does: 'Create, start and show campaigns; pause, resume, cancel, export, refresh, retry, extend, copy, rename or delete them.',
  },
  report: {
    group: 'Campaigns',
    does: 'Show how a campaign’s calls ended: connect rate, outcomes, cost and duration.',
  },
  unknown: {
    group: 'Campaigns',
    does: 'List the attempts whose outcome is unknown, and record what you found out.',
  },
  bulk: {
    group: 'Campaigns',
    does: 'Retry, skip, suppress, resolve or export everyone whom a filter finds.',
  },
  call: { group: 'People', does: 'Make one call, show it, fetch its record again, or change it.' },
  find: {
    group: 'People',
    does: 'Find a person in every campaign by phone, name or id, and show each attempt. Exits with 0 even if nobody is found.',
  },
  suppress: { group: 'People', does: 'Manage the list of people who must not be called.' },
  erase: {
    group: 'People',
    does: 'Erase a person in every campaign: phone, name, input, transcripts and history. This cannot be undone. The person is not called again.',
  },
  keys: {
    group: 'Keys and service',
    does: 'Show each key: its state, its rate and its calls in progress.',
  },
  numbers: {
    group: 'Keys and service',
    does: 'List the phone numbers of the account behind each key, with their calls, and rest or return one.',
  },
  service: {
    group: 'Keys and service',
    does: 'List and show the services that Carillon can use, check that yours answers as described, and try one call.',
  },
  sim: {
    group: 'Keys and service',
    does: 'Run the simulated voice service; nobody is called.',
  },
  doctor: {
    group: 'Set-up',
    does: 'Check every dependency, key and setting, and say how to fix what is wrong.',
  },
  migrate: {
    group: 'Set-up',
    does: 'Bring the ledger and the queue up to date; every process also does this when it starts.',
  },
  policy: {
    group: 'Set-up',
    does: 'Show, set, check and try the contact rules of every campaign.',
  },
  token: { group: 'Set-up', does: 'Manage the tokens of the API: who may use it, and for what.' },
  webhook: { group: 'Set-up', does: 'Manage webhooks: addresses that are told what happens.' },
  mcp: {
    group: 'Set-up',
    does: 'Let an assistant on this machine read campaigns and, with MCP_ACTS=1, act in two steps: the Model Context Protocol on standard input and output.',
  },
  alert: {
    group: 'Set-up',
    does: 'Manage where people are told of alerts: Slack, e-mail or a URL of yours.',
  },
  completion: {
    group: 'Set-up',
    does: 'Print a script that lets your shell complete commands, options and values: bash, zsh or fish.',
  },
  activity: {
    group: 'Operating',
    does: 'Show who changed what, from where and when, the newest first.',
  },
  alerts: {
    group: 'Operating',
    does: 'Show the alerts that `up`, `api` and `worker` have raised: what needs a person, and what to do.',
  },
  audit: {
    group: 'Operating',
    does: 'Check that every campaign’s counts add up and that the ledger’s rules hold.',
  },
  ledger: {
    group: 'Operating',
    does: 'See whether the ledger’s history is whole; confirm one that was restored.',
  },
  backup: {
    group: 'Operating',
    does: 'Back up the embedded ledger, even while campaigns are calling.',
  },
  restore: {
    group: 'Operating',
    does: 'Replace the embedded ledger with a backup; nobody is called until you confirm it.',
  },
} as const;
