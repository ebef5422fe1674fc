import { PartBar } from '../../../kit/bars.tsx';
import { Mark } from '../../../kit/basics.tsx';
import { Section } from '../../../kit/page.tsx';
import { Link } from '../../../kit/router.tsx';
import { Time } from '../../../kit/values.tsx';
import { classes, count, counted, type WaitReason, waitWords } from '../../../kit/words.ts';
import { useNeeds } from '../../../shell/needs.ts';

/** Why people wait, the most first, and until when; of a reason that an event ends, by what. */
export type WaitsOf = Partial<Record<WaitReason, { n: number; until: string | null }>>;

/** `fillOf` makes it the narrow legend of a bar; the page says elsewhere where a key is opened. */
type WaitsProps = { of: WaitsOf; parked?: number; fillOf?: (reason: string) => string };

/** Places and the pace hold back by turns, many times a minute: together they are one reason. */
const merged = ({ rate, calls, ...others }: WaitsOf): WaitsOf =>
  rate && calls
    ? { ...others, calls: { n: rate.n + calls.n, until: null } }
    : { ...others, ...(rate && { rate }), ...(calls && { calls }) };

export function Waits({ of, parked = 0, fillOf }: WaitsProps) {
  const reasons = Object.entries(merged(of)).sort(([, a], [, b]) => b.n - a.n);
  const people = reasons.reduce((sum, [, { n }]) => sum + n, 0);
  const key = useNeeds().items.find(({ id }) => /^(?:every )?key/.test(id))?.act;
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
            className="grid min-h-[33px] grid-cols-[3.5rem_minmax(0,1fr)_auto] items-center gap-x-3 py-1 @lg:grid-cols-[3.5rem_8rem_minmax(0,1fr)_auto]"
          >
            <b className="number">{count(n)}</b>
            <span className="@max-lg:hidden">
              <PartBar part={n / people} />
            </span>
            <span className="flex items-baseline gap-2">
              {fillOf && <i className={classes('size-2 shrink-0 rounded-xs', fillOf(reason))} />}
              {fillOf && places[reason] ? (
                <Link to={places[reason]}>{waitWords[reason as WaitReason]}</Link>
              ) : (
                waitWords[reason as WaitReason]
              )}
              {/* What a key lacks, a person can give it. */}
              {!fillOf && places[reason] === '/keys' && key && 'to' in key && (
                <span className="ml-3 inline-flex items-center gap-1.5 text-bad">
                  <Mark shape="up" />
                  <Link to={key.to}>{key.words}</Link>
                </span>
              )}
            </span>
            <span className="text-quiet">
              <Until of={reason as WaitReason} at={until} />
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
  if (!at) return endedBy[of] ?? 'in seconds';
  return (
    <>
      from <Time at={at} />
    </>
  );
}

/** The event that ends a wait without a time of its own. */
const endedBy: Partial<Record<WaitReason, string>> = {
  draft: 'when it is started',
  paused: 'when it is resumed',
  canceled: 'for good',
  'no-run': 'when a run drives it',
  'phone-in-use': 'when that call ends',
  'no-credit': 'when there is credit',
  budget: 'as costs become known, or when it is raised',
  calls: 'as calls end',
  number: 'as calls end',
  refused: 'when the service takes calls',
  never: 'for good',
};
