/** What a setting sets, for those that are met first; others say their name without its signs. */
const words: Readonly<Record<string, string>> = {
  VOICE_SERVICE: 'Which voice service',
  VOICE_PROFILE: 'A description of a voice service',
  VOICE_BASE_URL: 'Address of the voice service',
  VOICE_API_KEYS: 'Keys of the voice service',
  VOICE_RATE: 'Requests a second, where they are known',
  VOICE_BURST: 'Requests at once, with a fixed rate',
  VOICE_MAX_CALLS: 'Calls at once',
  VOICE_MAX_COST: 'The most that calls may cost',
  VOICE_ACCOUNTS: 'Keys that share one account',
  VOICE_POLL: 'How often a call is asked for',
  VOICE_CALL_DEADLINE_MS: 'After how long a call without an end is given up',
  VOICE_PROXY: 'A proxy to the voice service',
  VOICE_TIMEOUT_MS: 'How long an answer is awaited',
  API_TOKEN: 'The first token of the API',
  API_READ_TOKEN: 'A token that may only read',
  MCP_ACTS: 'Whether assistants may act',
  WEBHOOK_ALLOW_PRIVATE: 'Whether webhooks may go to private networks',
  LIST_ALLOW_PRIVATE: 'Whether lists may come from private networks',
  PUBLIC_URL: 'This page’s address for others',
  CARILLON_POLICY: 'A file of contact rules',
  CARILLON_HOME: 'Where the embedded ledger lies',
  CARILLON_KEEP_DAYS: 'Days for which words are kept',
  DATABASE_URL: 'The ledger’s own server',
  REDIS_URL: 'The queue’s own server',
  HOST: 'Network address of this page and the API',
  PORT: 'Port of this page and the API',
  LOG_LEVEL: 'How much is logged',
};

/** `west=12-2,east=8` as `west 12, of which 2 stay free for calls that come in; east 8`. */
export function settingValue(name: string, value: string): string {
  if (name === 'VOICE_MAX_COST') return value.replace(/(\w+):([\d.]+)/g, '$2 a $1').replaceAll(',', ', ');
  if (name === 'VOICE_MAX_CALLS')
    return value
      .split(',')
      .map((each) =>
        each.replace('=', ' ').replace(/-(\d+)$/, ', of which $1 stay free for calls that come in'),
      )
      .join('; ');
  return value === '1' && /_ALLOW_|_ACTS$/.test(name) ? 'yes' : value;
}

export function settingWords(name: string): string {
  const plain = name.replaceAll('_', ' ').toLowerCase();
  return words[name] ?? `${plain[0]!.toUpperCase()}${plain.slice(1)}`;
}
