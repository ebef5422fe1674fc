import type { Campaign, Forecast } from '../../../api/ask.ts';
import { endedBy, endWords, isAllRejected } from '../../../campaigns/state.tsx';
import { PartBar } from '../../../kit/bars.tsx';
import { Section } from '../../../kit/page.tsx';
import { Link } from '../../../kit/router.tsx';
import { Time } from '../../../kit/values.tsx';
import { classes, count, counted, type WaitReason, waitWords } from '../../../kit/words.ts';

/** Why people wait, the most first, and until when; of a reason that an event ends, by what. */
export type WaitsOf = Partial<Record<WaitReason, { n: number; until: string | null }>>;

/** `fillOf` makes it the narrow legend of a bar; the page says elsewhere where a key is opened. */
type WaitsProps = {
  of: WaitsOf;
  parked?: number;
  fillOf?: (reason: string) => string;
  campaign?: Campaign;
  /** What holds the campaign most, as its forecast has it. */
  limitedBy?: Forecast['limited_by'] | undefined;
};

/** Places and the pace hold back by turns, many times a minute: together they are the one that holds it most. */
function merged({ rate, calls, ...others }: WaitsOf, most: 'rate' | 'calls'): WaitsOf {
  const n = (rate?.n ?? 0) + (calls?.n ?? 0);
  return n === 0 ? others : { ...others, [most]: { n, until: null } };
}

export function Waits({ of, parked = 0, fillOf, campaign, limitedBy: by }: WaitsProps) {
  const most = by === 'rate' || by === 'calls' ? by : of.calls ? 'calls' : 'rate';
  const reasons = Object.entries(merged(of, most)).sort(([, a], [, b]) => b.n - a.n);
  // The one cause stands above them, and who waits for it in the bar.
  const goesOn = campaign && endWords(campaign);
  const { cause = '', message = '' } = campaign?.standstill ?? {};
  // Whose turn it is waits for a process that dials; the others for what they wait for.
  const isHeld = (reason: string) => Boolean(goesOn) && reason === (cause === 'no-worker' ? most : cause);
  const isSaid = campaign && (goesOn || isAllRejected(campaign) || reasons.length > 0);
  if (isSaid && reasons.every(([reason]) => isHeld(reason) || reason === 'paused')) return null;
  const wordsOf = (reason: string) => (isHeld(reason) ? message : waitWords[reason as WaitReason]);
  const people = reasons.reduce((sum, [, { n }]) => sum + n, 0);
  return (
    <Section
      title={people === 0 ? 'Nobody waits' : `Why ${counted(people - parked, 'person waits', 'people wait')}`}
      note={parked > 0 && `and ${counted(parked, 'is', 'are')} parked`}
    >
      <ul
        className="@container divide-y divide-line border-y border-line text-sm"
        aria-label="Waiting people by reason"
      >
        {reasons.map(([reason, { n, until }]) => (
          <li
            key={reason}
            className="grid min-h-[33px] grid-cols-[3.5rem_minmax(0,1fr)] items-center gap-x-3 py-1 @lg:grid-cols-[3.5rem_8rem_minmax(0,1fr)_auto]"
          >
            <b className="number">{count(n)}</b>
            <span className="@max-lg:hidden">
              <PartBar part={n / people} />
            </span>
            <span className="flex items-baseline gap-2">
              {fillOf && <i className={classes('size-2 shrink-0 rounded-xs', fillOf(reason))} />}
              {fillOf && places[reason] ? (
                <Link to={places[reason]}>{wordsOf(reason)}</Link>
              ) : (
                wordsOf(reason)
              )}
            </span>
            <span className="text-quiet @max-lg:col-start-2">
              {isHeld(reason) ? goesOn : <Until of={reason as WaitReason} at={until} />}
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

const places: Readonly<Record<string, string>> = {
  paused: '/campaigns?state=paused',
  draft: '/campaigns?state=draft',
  'no-credit': '/keys',
  refused: '/keys',
};

export function Until({ of, at }: { of: WaitReason; at: string | null }) {
  // It is due, and its turn comes.
  if (!at) return of === 'rate' ? 'in seconds' : (endedBy(of) ?? 'in seconds');
  return (
    <>
      from <Time at={at} />
    </>
  );
}
