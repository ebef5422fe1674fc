import type { Key } from '../../api/ask.ts';
import { Badge, type ButtonProps, stateText } from '../../kit/basics.tsx';
import type { Level, NoticeProps } from '../../kit/page.tsx';
import { about, count, counted, durationText, timeText } from '../../kit/words.ts';
import { closedKeys } from '../../shell/causes.ts';
import { Act } from '../../shell/opens.tsx';
import { mostCalls } from '../../shell/reads.ts';
import { limitOf, paceOf, paceText } from './line.tsx';

/** Why a key makes no calls now, what settles it, and the act that opens it again; null where nothing is wrong. */
type Looks = Pick<ButtonProps, 'kind' | 'small'>;
type Told = Looks & { before?: string | undefined };

export function troubleOf(key: Key, { before, ...looks }: Told): NoticeProps | null {
  const { name, state, present, since, differs, reason } = key;
  if (!present)
    return {
      title: `VOICE_API_KEYS no longer has the key ${name}`,
      children:
        'Its calls cannot be followed. Put it back under this name and start Carillon again, or let its calls become unknown and settle them.',
    };
  if (state !== 'open') {
    // In a line it is told only where the state does not say as much.
    const isTold = !looks.small || state === 'failing';
    const said = isTold && reason?.replace(/^the service answered (\d+): (.+)$/, '$2 ($1)');
    return {
      tone: 'bad',
      title: (
        <>
          <Badge state={state} label={`${stateText(state)} since ${timeText(since)}`} />{' '}
          {said && <span className="ml-1 text-sm font-normal text-quiet">{said}</span>}
        </>
      ),
      act: <AskKey of={key} {...looks} />,
      children: nextOf(key) + (before ? ' It was closed before too.' : ''),
    };
  }
  if (differs.length === 0) return null;
  return {
    title: `${counted(differs.length, 'process has', 'processes have')} another secret or rate for ${name}, and must not dial`,
    act: (
      <Act
        may="admin"
        name="POST /api/keys/{name}/confirm"
        asked={{ name }}
        done={({ differ: left }) =>
          `The secret of this server holds${left.length > 0 ? `; ${count(left.length)} must be restarted` : ''}.`
        }
      >
        This server’s is right
      </Act>
    ),
    children: `${differs.map(({ process, what }) => `${process} has another ${what}`).join(', ')}. Give all processes the same and restart them; or say that what this server has is right.`,
  };
}

/** Whom a closed key holds up, and what opens it. */
function nextOf(key: Key): string {
  const { state, parked, probe_at: probe } = key;
  const held = parked > 0 ? `${counted(parked, 'person is', 'people are')} parked. ` : '';
  if (state === 'denied') return held + closedKeys.denied.follows;
  const first = state === 'out_of_credit' ? 'Top up the account at the service, then Try now; ' : '';
  return `${held}${first}Carillon ${first && 'also '}asks by itself${probe ? ` at ${timeText(probe)}` : ''}.`;
}

/** Asks the service for the key, and calls nobody: one that it accepts is open from then on. */
export const AskKey = ({ of: { name, state, present }, ...looks }: Looks & { of: Key }) =>
  present && (
    <Act
      may="operate"
      {...looks}
      name="POST /api/keys/{name}/resume"
      asked={{ name }}
      done={({ was, resumed }) => {
        const more = resumed > 0 ? `; ${counted(resumed, 'person continues', 'people continue')}` : '';
        return was === 'open' ? `The service accepts ${name}.` : `${name} creates calls again${more}.`;
      }}
      meanwhile="Asking the service"
    >
      {state === 'open' ? 'Check the key' : 'Try now'}
    </Act>
  );

const isCreditShort = ({ credit }: Key) => credit?.minutes != null && credit.minutes < 60;

/** What holds back one that is open, of several limits the one that binds, and how far its credit reaches where it is known; `free` where nothing does. */
export function doingOf(key: Key, free = ''): string {
  const { calling, rests_ms: rests, credit } = key;
  const [most, limit] = [mostCalls(key), limitOf(key)];
  const reaches =
    credit?.minutes == null
      ? ''
      : `Credit for about ${durationText(credit.minutes * 60_000)}, if as much was added as before.`;
  if (rests > 1_000) return `It rests ${about(rests / 1_000)} s, as the service asked. ${reaches}`;
  if (most !== null && calling >= most)
    return `Its calls at once hold it back: the next begins when one ends. ${reaches}`;
  if (limit !== null && paceOf(key) >= limit * 0.85)
    return `Its rate holds it back: it goes as fast as the service lets it. ${reaches}`;
  return free ? `${free} ${reaches}` : reaches;
}

/** How much of its limits an open key takes, and what holds it back. */
export function verdictOf(key: Key, calling: number): string {
  const [most, limit] = [mostCalls(key), limitOf(key)];
  const calls = most === null ? counted(calling, 'call') : `${count(calling)} of its ${count(most)}`;
  const pace = `${paceText(paceOf(key))} ${limit === null ? '' : `of about ${paceText(limit)} `}requests a second`;
  const makes = `${key.name} makes ${calling > 0 ? 'calls' : 'no call now'}`;
  return `${makes}: ${calls} at once, ${pace}. ${doingOf({ ...key, calling }, 'Nothing holds it back now.')}`;
}

/** A closed key is as grave here as where it needs a person; one that rests goes on by itself. */
export function levelOf(keys: readonly Key[]): Level {
  if (keys.some(({ state, present }) => state !== 'open' && present)) return 'act';
  const slow = keys.some(
    (key) => !key.present || key.rests_ms > 1_000 || key.differs.length > 0 || isCreditShort(key),
  );
  return slow ? 'watch' : 'fine';
}
