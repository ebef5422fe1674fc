/**
 * What each command takes and does, in the order in which a newcomer meets them. Apart from the commands, as the list of
 * them is shown without loading any.
 */
export const summaries = {
  demo: {
    takes: '[options]',
    does: 'Dispatch a sample campaign on a simulated service, with a fresh ledger of its own. Nobody is called.',
  },
  run: {
    takes: '[options] <file>',
    does: 'Call everybody on a list, and keep every result. Started again, it resumes.',
  },
  up: { takes: '', does: 'Run the API, the page and the background workers in one process.' },
  api: { takes: '', does: 'Run only the API and the page; workers run elsewhere.' },
  worker: {
    takes: '[options]',
    does: 'Run background workers, which dial the campaigns of the API and of `campaign resume`. Start as many as you like.',
  },
  campaign: {
    takes: '',
    does: 'Look at campaigns, and pause, resume, cancel, export, refresh, retry, extend, copy, rename or delete them.',
  },
  report: {
    takes: '[options] <name>',
    does: 'Show how a campaign’s calls ended: connect rate, outcomes, cost and duration.',
  },
  unknown: {
    takes: '',
    does: 'List the attempts whose outcome is unknown, and record what you found out.',
  },
  bulk: { takes: '', does: 'Retry, skip, suppress, resolve or export everyone whom a filter finds.' },
  call: { takes: '', does: 'Make one call, show it, fetch its record again, or change it.' },
  find: {
    takes: '[options] <phone|call|attempt>',
    does: 'Find a person in every campaign, with each attempt: by phone, by a call’s id, or by an attempt.',
  },
  keys: { takes: '[options]', does: 'Show each key: its state, its rate and its calls in progress.' },
  numbers: { takes: '[options]', does: 'List the phone numbers of the account behind each key.' },
  erase: {
    takes: '[options] [phone]',
    does: 'Erase a person in every campaign: phone, name, input, transcripts and history. This cannot be undone. The person is not called again.',
  },
  suppress: { takes: '', does: 'Manage the list of people who must not be called.' },
  policy: { takes: '', does: 'Show, set, check and try the contact rules of every campaign.' },
  token: { takes: '', does: 'Manage the tokens of the API: who may use it, and for what.' },
  webhook: { takes: '', does: 'Manage webhooks: addresses that are told what happens.' },
  activity: { takes: '[options]', does: 'Show who changed what, from where and when, the newest first.' },
  audit: {
    takes: '[options]',
    does: 'Check that every campaign’s counts add up and that the ledger’s rules hold.',
  },
  alerts: {
    takes: '[options]',
    does: 'Show the alerts that `up`, `api` and `worker` have raised: what needs a person, and what to do.',
  },
  ledger: { takes: '', does: 'See whether the ledger’s history is whole; confirm one that was restored.' },
  backup: { takes: '[options] [folder]', does: 'Back up the embedded ledger, also while campaigns call.' },
  restore: {
    takes: '[options] <backup>',
    does: 'Put a backup in the place of the embedded ledger; nobody is called until it is confirmed.',
  },
  doctor: {
    takes: '[options]',
    does: 'Check every dependency, key and setting, and say how to fix what is wrong.',
  },
  migrate: {
    takes: '[options]',
    does: 'Bring the ledger and the queue up to date; every process also does this when it starts.',
  },
  sim: { takes: '[options]', does: 'Run the simulated voice service; nobody is called.' },
} as const;
