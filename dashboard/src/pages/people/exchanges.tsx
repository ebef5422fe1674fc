import type { AttemptCourse } from '../../api/ask.ts';
import { Copy } from '../../kit/basics.tsx';
import { Time } from '../../kit/values.tsx';
import { classes, count, readJson } from '../../kit/words.ts';

/** Each request that was sent to the service for an attempt, and what was answered, for as long as it is kept. */
type Exchange = NonNullable<AttemptCourse['exchanges']>[number];

const words: Readonly<Record<string, string>> = {
  create: 'make the call',
  read: 'ask for the call',
  update: 'change or end the call',
  list: 'list calls',
};

export const Exchanges = ({ of }: { of: readonly Exchange[] }) => (
  <ul
    aria-label="What was sent, what was answered"
    className="divide-y divide-line border-t border-line text-sm"
  >
    {of.map((each, nth) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: an exchange never moves.
      <li key={nth}>
        <details className="py-1.5">
          <summary>
            <span className="inline-flex max-w-[calc(100%-1.5rem)] flex-wrap gap-x-3">
              <span className="text-quiet">
                <Time at={each.at} seconds />
              </span>
              <span className="font-medium">{words[each.operation] ?? each.operation}</span>
              <span className={classes((each.status ?? 0) >= 200 && each.status! < 300 ? '' : 'text-bad')}>
                {each.status ?? 'no answer'}
              </span>
              <span className="text-quiet">{count(Math.round(each.ms))} ms</span>
            </span>
          </summary>
          <p className="mt-2 flex flex-wrap items-start justify-between gap-2">
            <span className="min-w-0 font-mono [overflow-wrap:anywhere]">
              {each.method} {each.url}
            </span>
            <Copy text={each.curl} label="Copy as curl" />
          </p>
          {[each.body, each.answer].map(
            (text, at) =>
              text !== null && (
                <section
                  key={at === 0 ? 'Sent' : 'Answered'}
                  // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reached by keyboard.
                  tabIndex={0}
                  aria-label={at === 0 ? 'Sent' : 'Answered'}
                  className="mt-2 max-h-96 overflow-y-auto rounded-md bg-sunken px-3 py-2"
                >
                  <pre className="font-mono text-sm [overflow-wrap:anywhere] whitespace-pre-wrap">
                    {inLines(text)}
                  </pre>
                </section>
              ),
          )}
          <p className="mt-2 empty:hidden">{each.why}</p>
        </details>
      </li>
    ))}
  </ul>
);

/** In lines, unless it is not JSON or was cut. */
function inLines(text: string): string {
  const value = readJson(text);
  return value === undefined ? text : JSON.stringify(value, null, 2);
}
