/**
 * What each command takes and does, in groups, in the order in which a newcomer meets them. Apart from the commands, as
 * the list of them is shown without loading any.
 */
export const summaries = {
  demo: {
    group: 'Run',
    takes: '[options]',
    does: 'Dispatch a sample campaign on a simulated service, with a fresh ledger of its own. Nobody is called.',
  },
  run: {
    group: 'Run',
    takes: '[options] <file>',
    does: 'Call everybody on a list, and keep every result. Started again, it resumes.',
  },
  up: { group: 'Run', takes: '', does: 'Run the API, the page and the background workers in one process.' },
  api: { group: 'Run', takes: '', does: 'Run only the API and the page; workers run elsewhere.' },
  worker: {
    group: 'Run',
    takes: '[options]',
    does: 'Run background workers, which dial the campaigns of the API and of `campaign resume`. Start as many as you like.',
  },
  campaign: {
    group: 'Campaigns',
    takes: '',
    does: 'Make, start and look at campaigns, and pause, resume, cancel, export, refresh, retry, extend, copy, rename or delete them.',
  },
  report: {
    group: 'Campaigns',
    takes: '[options] <name>',
    does: 'Show how a campaign’s calls ended: connect rate, outcomes, cost and duration.',
  },
  unknown: {
    group: 'Campaigns',
    takes: '',
    does: 'List the attempts that may have called someone, and record whether they did.',
  },
  bulk: {
    group: 'Campaigns',
    takes: '',
    does: 'Retry, skip, suppress, resolve or export everyone whom a filter finds.',
  },
  call: { group: 'People', takes: '', does: 'Make one call, show it, fetch its record again, or change it.' },
  find: {
    group: 'People',
    takes: '[options] <phone|call|attempt>',
    does: 'Find a person in every campaign, with each attempt: by phone, by a call’s id, or by an attempt.',
  },
  suppress: { group: 'People', takes: '', does: 'Manage the list of people who must not be called.' },
  erase: {
    group: 'People',
    takes: '[options] [phone]',
    does: 'Erase a person in every campaign: phone, name, input, transcripts and history. This cannot be undone. The person is not called again.',
  },
  keys: {
    group: 'Keys and service',
    takes: '[options]',
    does: 'Show each key: its state, its rate and its calls in progress.',
  },
  numbers: {
    group: 'Keys and service',
    takes: '[options]',
    does: 'List the phone numbers of the account behind each key.',
  },
  sim: {
    group: 'Keys and service',
    takes: '[options]',
    does: 'Run the simulated voice service; nobody is called.',
  },
  doctor: {
    group: 'Set-up',
    takes: '[options]',
    does: 'Check every dependency, key and setting, and say how to fix what is wrong.',
  },
  migrate: {
    group: 'Set-up',
    takes: '[options]',
    does: 'Bring the ledger and the queue up to date; every process also does this when it starts.',
  },
  policy: {
    group: 'Set-up',
    takes: '',
    does: 'Show, set, check and try the contact rules of every campaign.',
  },
  token: { group: 'Set-up', takes: '', does: 'Manage the tokens of the API: who may use it, and for what.' },
  webhook: { group: 'Set-up', takes: '', does: 'Manage webhooks: addresses that are told what happens.' },
  completion: {
    group: 'Set-up',
    takes: '<shell>',
    does: 'Print a script that lets your shell complete commands, options and values: bash, zsh or fish.',
  },
  activity: {
    group: 'Operating',
    takes: '[options]',
    does: 'Show who changed what, from where and when, the newest first.',
  },
  alerts: {
    group: 'Operating',
    takes: '[options]',
    does: 'Show the alerts that `up`, `api` and `worker` have raised: what needs a person, and what to do.',
  },
  audit: {
    group: 'Operating',
    takes: '[options]',
    does: 'Check that every campaign’s counts add up and that the ledger’s rules hold.',
  },
  ledger: {
    group: 'Operating',
    takes: '',
    does: 'See whether the ledger’s history is whole; confirm one that was restored.',
  },
  backup: {
    group: 'Operating',
    takes: '[options] [folder]',
    does: 'Back up the embedded ledger, also while campaigns call.',
  },
  restore: {
    group: 'Operating',
    takes: '[options] <backup>',
    does: 'Put a backup in the place of the embedded ledger; nobody is called until it is confirmed.',
  },
} as const;
