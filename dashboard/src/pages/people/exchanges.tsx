import type { AttemptCourse } from '../../api/description.ts';
import { Copy } from '../../kit/copy.tsx';
import { Raw } from '../../kit/data.tsx';
import { Time } from '../../kit/time.tsx';
import { count, counted } from '../../kit/words.ts';

/** Each request that was sent to the service for an attempt, and what was answered, for as long as it is kept. */
type Exchange = NonNullable<AttemptCourse['exchanges']>[number];

const words: Readonly<Record<string, string>> = {
  create: 'make the call',
  read: 'ask for the call',
  update: 'change or end the call',
  list: 'list calls',
};

export function Exchanges({ attempt: { exchanges, dialed_at: dialed } }: { attempt: AttemptCourse }) {
  if (exchanges === null || dialed === null) return null;
  return (
    <section aria-label="What was sent, what was answered" className="mb-6">
      <details open={!exchanges.every(isGood)}>
        <summary>
          <span className="font-semibold">What was sent, what was answered</span>{' '}
          <span className="text-sm text-quiet">{counted(exchanges.length, 'request')}</span>
        </summary>
        {exchanges.length === 0 ? (
          <p className="pt-1 text-quiet">Nothing is kept: requests and answers are erased after a week.</p>
        ) : (
          <ul className="divide-y divide-line">
            {exchanges.map((each, nth) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: an exchange never moves.
              <li key={nth}>
                <OneExchange of={each} />
              </li>
            ))}
          </ul>
        )}
      </details>
    </section>
  );
}

function OneExchange({ of: each }: { of: Exchange }) {
  return (
    <details className="py-1.5">
      <summary>
        <span className="inline-flex max-w-[calc(100%-1.5rem)] flex-wrap items-baseline gap-x-3">
          <span className="text-quiet">
            <Time at={each.at} seconds />
          </span>
          <span className="font-medium">{words[each.operation] ?? each.operation}</span>
          <span className={isGood(each) ? '' : 'text-bad'}>{each.status ?? 'no answer'}</span>
          <span className="text-sm text-quiet">{count(Math.round(each.ms))} ms</span>
        </span>
      </summary>
      <div className="mt-2 space-y-2">
        <div className="flex flex-wrap items-start justify-between gap-2">
          <p className="min-w-0 font-mono text-sm [overflow-wrap:anywhere]">
            {each.method} {each.url}
          </p>
          <Copy text={each.curl} label="Copy as curl" />
        </div>
        {each.body !== null && <Body label="Sent" text={each.body} />}
        <p className="text-xs font-medium text-quiet">Answered</p>
        {each.answer === null && each.why === null && <p className="text-quiet">without a body</p>}
        {each.answer !== null && <Body label="Answered" text={each.answer} />}
        {each.why && <p>{each.why}</p>}
      </div>
    </details>
  );
}

const isGood = ({ status }: Exchange) => status !== null && status >= 200 && status < 300;

/** In lines, unless it is not JSON or was cut. */
function Body({ label, text }: { label: string; text: string }) {
  return (
    <section
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reached by keyboard.
      tabIndex={0}
      aria-label={label}
      className="max-h-96 overflow-y-auto rounded-md bg-sunken px-3 py-2"
    >
      <Raw value={parsed(text)} />
    </section>
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
