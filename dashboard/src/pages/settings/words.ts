/** What a setting sets, for those that are met first; others say their name without its signs. */
const words: Readonly<Record<string, string>> = {
  VOICE_SERVICE: 'Which voice service',
  VOICE_PROFILE: 'A description of a voice service',
  VOICE_BASE_URL: 'Where calls are ordered',
  VOICE_API_KEYS: 'Keys of the voice service',
  VOICE_RATE: 'Requests a second, where they are known',
  VOICE_MAX_CALLS: 'Calls at once, where they are known',
  VOICE_TIMEOUT_MS: 'How long an answer is awaited',
  API_TOKEN: 'The first token of the API',
  PUBLIC_URL: 'This page’s address for others',
  CARILLON_POLICY: 'A file of contact rules',
  CARILLON_HOME: 'Where the embedded ledger lies',
  CARILLON_KEEP_DAYS: 'Days for which words are kept',
  DATABASE_URL: 'The ledger’s own server',
  REDIS_URL: 'The queue’s own server',
  HOST: 'The network that is listened to',
  PORT: 'The port that is listened to',
  LOG_LEVEL: 'How much is logged',
};

export function settingWords(name: string): string {
  const plain = name.replaceAll('_', ' ').toLowerCase();
  return words[name] ?? `${plain[0]!.toUpperCase()}${plain.slice(1)}`;
}
