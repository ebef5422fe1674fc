import type { CampaignItem, Key } from '../api/description.ts';
import { counted } from '../kit/words.ts';
import type { Need } from './need.ts';

/** The closed keys among what needs a person. */
export function needsOfKeys(
  present: readonly Key[],
  closed: readonly Key[],
  campaigns: readonly CampaignItem[],
): Need[] {
  if (closed.length < 2 || closed.length < present.length)
    return closed.map((key) => needOfKey(key, present.length === 1));
  const waiting = campaigns.reduce((sum, { balance }) => sum + balance.waiting + balance.parked, 0);
  const probes = closed.flatMap(({ probe_at: at }) => (at ? [Date.parse(at)] : []));
  const reasons = closed.map(({ name, state }) => `${name} ${stateWords[state as ClosedState]}`).join('; ');
  return [
    {
      id: 'every key',
      tone: 'bad',
      what: 'No key is open. Nobody is called.',
      text: `${reasons}. ${counted(waiting, 'person waits', 'people wait')}; no attempt is lost.`,
      asks: probes.length > 0 ? new Date(Math.min(...probes)).toISOString() : null,
      since: closed.map(({ since }) => since).sort()[0]!,
      act: { to: '/keys', words: 'Open the keys' },
      all: true,
    },
  ];
}

type ClosedState = Exclude<Key['state'], 'open'>;
const stateWords: Record<ClosedState, string> = {
  out_of_credit: 'has no credit',
  denied: 'is not accepted by the service',
  failing: 'is answered with failures',
};

export function needOfKey(key: Key, isOnly: boolean): Need {
  const { name, since, parked, probe_at: asks } = key;
  const state = key.state as ClosedState;
  const texts: Record<ClosedState, string> = {
    out_of_credit: `${counted(parked, 'person is', 'people are')} parked. Carillon continues by itself when there is credit.`,
    denied: 'Correct it in VOICE_API_KEYS or at the service, then try again.',
    failing: 'Carillon continues by itself when the service answers.',
  };
  return {
    id: `key ${name}`,
    tone: 'bad',
    what: `The key ${name} ${stateWords[state]}.${isOnly ? ' Nobody is called.' : ''}`,
    text: texts[state],
    asks,
    since,
    all: isOnly,
    act: { to: `/keys/${encodeURIComponent(name)}`, words: 'Open the key' },
  };
}
