import { createHmac } from 'node:crypto';
import type { Config } from '../../base/config/config.ts';
import type { KeyRing } from '../../base/config/key-ring.ts';
import type { ApiKey } from '../../base/config/keys.ts';
import { rateOf } from '../../base/config/of-key.ts';
import { CarillonError } from '../../base/errors.ts';
import type { KeyMarks, OtherKey, Processes } from '../../ledger/processes/processes.ts';

/**
 * Whether this process has the same keys and rates as the processes that dial. The first to dial sets the measure. One
 * that differs does not dial until the last of the others has stopped, a person confirms its key, or it is restarted
 * with theirs.
 */
export type SameKeys = {
  /** This process dials from now on, and the ledger knows that it is alive, so its keys count. */
  join(): void;
  look(): Promise<void>;
  trouble(): CarillonError | null;
  /** Its keys in the form in which it reports them. */
  marks(): Promise<KeyMarks>;
};

type SameKeysDeps = {
  processes: Pick<Processes, 'salt' | 'agree'>;
  config: Pick<Config, 'voice'>;
  keyRing: Pick<KeyRing, 'keys' | 'since'>;
  /** This process's id on the attempts that it opens. */
  dialer: string;
};

export function createSameKeys({ processes, config, keyRing, dialer }: SameKeysDeps): SameKeys {
  let dials = false;
  let others: readonly OtherKey[] = [];
  let made: { of: readonly ApiKey[]; marks: KeyMarks } | null = null;
  const marks = async () => {
    const of = keyRing.keys();
    if (made?.of !== of) made = { of, marks: marksOf(config, of, await processes.salt()) };
    return made.marks;
  };
  return {
    join() {
      dials = true;
    },
    async look() {
      if (keyRing.keys().length > 0)
        others = await processes.agree(dialer, await marks(), keyRing.since(), dials);
    },
    trouble() {
      const [first] = others;
      return first ? new CarillonError('keys-differ', `This process ${differenceText(first)}`) : null;
    },
    marks,
  };
}

/** Too short to find a key by: one in four billion others has the same. */
const digestLength = 8;

function marksOf(config: Pick<Config, 'voice'>, keys: readonly ApiKey[], salt: string): KeyMarks {
  const marks = keys.map(({ name, secret }) => {
    const digest = createHmac('sha256', salt).update(secret).digest('hex').slice(0, digestLength);
    return [name, { digest, rate: String(rateOf(config, name)) }] as const;
  });
  return Object.fromEntries(marks);
}

export function differenceText({ key, what, holder }: OtherKey): string {
  const thing =
    what === 'secret' ? `another secret for the key ${key}` : `another VOICE_RATE for the key ${key}`;
  return `has ${thing} than ${holder ?? 'the one that a person confirmed'}`;
}
