import type { Key } from '../../api/description.ts';
import { Notice } from '../../kit/notice.tsx';
import { Since, Time } from '../../kit/time.tsx';
import { about, counted } from '../../kit/words.ts';
import { AskKey, ConfirmKey } from './acts.tsx';

/** Why a key makes no calls now, what settles it, and the act that opens it again; null where nothing is wrong. */
export function troubleOf(key: Key, isMain = false): Parameters<typeof Notice>[0] | null {
  const { name, state, present, reason, since, probe_at: probe, rests_ms: rests, parked, differs } = key;
  if (!present)
    return {
      title: `VOICE_API_KEYS no longer has the key ${name}`,
      children:
        'Its calls cannot be followed. Put it back under this name and start Carillon again, or let its calls become unknown and settle them.',
    };
  if (state === 'open' && differs.length > 0)
    return {
      title: `${counted(differs.length, 'process has', 'processes have')} another secret or rate for ${name}, and must not dial`,
      act: <ConfirmKey of={key} />,
      children: `${differs.map(({ process, what }) => `${process} has another ${what}`).join(', ')}. Give all processes the same and restart them; or say that what this server has is right.`,
    };
  if (state === 'open' && rests <= 1_000) return null;
  if (state === 'open')
    return {
      title: `The key ${name} rests for ${about(rests / 1_000)} s`,
      children: 'The service asked for it, or refused too much.',
    };
  return {
    tone: state === 'out_of_credit' ? 'warn' : 'bad',
    title: titles[state](name),
    act: <AskKey of={key} isMain={isMain} />,
    children: (
      <>
        {reason ? `${reason[0]!.toUpperCase()}${reason.slice(1)}, ` : 'So it is '}
        <Since at={since} />.{' '}
        {parked > 0 && `${counted(parked, 'person waits', 'people wait')} parked, with their place kept. `}
        {remedies[state]}
        {probe && (
          <>
            {' '}
            Carillon asks again by itself at <Time at={probe} />.
          </>
        )}
      </>
    ),
  };
}

export function KeyTrouble({ of: key }: { of: Key }) {
  const trouble = troubleOf(key, true);
  return trouble && <Notice {...trouble} />;
}

type Closed = Exclude<Key['state'], 'open'>;

const titles: Record<Closed, (name: string) => string> = {
  out_of_credit: (name) => `The account has no credit: the key ${name} makes no calls`,
  denied: (name) => `The service does not accept the key ${name}`,
  failing: (name) => `The service fails: the key ${name} makes no calls`,
};

const remedies: Record<Closed, string> = {
  out_of_credit: 'Put credit on the account at the service, then resume: everyone who was parked is called.',
  denied:
    'Have the service accept the key again, or correct it in VOICE_API_KEYS and start Carillon again; then resume.',
  failing: 'Look at the service’s own status. Resume asks it at once.',
};
