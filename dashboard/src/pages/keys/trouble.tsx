import type { Key } from '../../api/description.ts';
import { Notice } from '../../kit/notice.tsx';
import { Since, Time } from '../../kit/time.tsx';
import { about, counted } from '../../kit/words.ts';
import { AskKey, ConfirmKey } from './acts.tsx';

/** Why a key creates no calls now, what settles it, and the act that opens it again. */
export function KeyTrouble({ of: key }: { of: Key }) {
  const { name, state, present, reason, since, probe_at: probe, rests_ms: rests, parked, differs } = key;
  if (!present)
    return (
      <Notice title={`VOICE_API_KEYS no longer has the key ${name}`}>
        Its calls cannot be followed. Put it back under this name and start Carillon again, or let its calls
        become unknown and settle them.
      </Notice>
    );
  if (state === 'open' && differs.length > 0)
    return (
      <Notice
        title={`${counted(differs.length, 'process has', 'processes have')} another secret or rate for ${name}, and must not dial`}
        act={<ConfirmKey of={key} />}
      >
        {differs.map(({ process, what }) => `${process} has another ${what}`).join(', ')}. Give all processes
        the same and restart them; or say that what this server has is right.
      </Notice>
    );
  if (state === 'open')
    return rests > 1_000 ? (
      <Notice title={`The key ${name} rests for ${about(rests / 1_000)} s`}>
        The service asked for it, or refused too much.
      </Notice>
    ) : null;
  return (
    <Notice
      tone={state === 'out_of_credit' ? 'warn' : 'bad'}
      title={titles[state](name)}
      act={<AskKey of={key} />}
    >
      <p>
        {reason ? `${reason[0]!.toUpperCase()}${reason.slice(1)}, ` : 'So it is '}
        <Since at={since} />.{' '}
        {parked > 0 && `${counted(parked, 'person waits', 'people wait')} parked, with their place kept.`}
      </p>
      <p>
        <span className="text-quiet">What to do: </span>
        {remedies[state]}
        {probe && (
          <>
            {' '}
            Carillon asks again by itself at <Time at={probe} />.
          </>
        )}
      </p>
    </Notice>
  );
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
