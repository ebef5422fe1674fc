import type { AnswerOf } from '../../api/ask.ts';
import { useAct, useAsk } from '../../data/queries.ts';
import { rateText } from '../../kit/answers.tsx';
import { Mark } from '../../kit/badge.tsx';
import { Button } from '../../kit/button.tsx';
import { Section } from '../../kit/card.tsx';
import { Read } from '../../kit/empty.tsx';
import { Time } from '../../kit/time.tsx';
import { count } from '../../kit/words.ts';
import { useMay } from '../../shell/me.ts';

/** The numbers that the keys call from: how their calls do, which rest, and taking one out of use. */
type Line = AnswerOf<'GET /api/numbers'>['items'][number];

export function CallerNumbers() {
  const numbers = useAsk('GET /api/numbers', {});
  return (
    <Section id="numbers" title="Caller numbers">
      <Read of={numbers} lines={3}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="text-quiet">The service lists no numbers.</p>
          ) : (
            <Numbers of={items} />
          )
        }
      </Read>
    </Section>
  );
}

const heads = ['Calls', 'Calls answered', 'In progress', 'In 24 hours'];

function Numbers({ of }: { of: readonly Line[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reached by keyboard.
    <section tabIndex={0} aria-label="The numbers and their calls" className="overflow-x-auto">
      <table className="w-full text-sm">
        <thead>
          <tr className="border-b border-line text-xs text-quiet">
            <th scope="col" className="py-1 pr-3 text-left font-medium">
              Number
            </th>
            {heads.map((each) => (
              <th key={each} scope="col" className="px-2 py-1 text-right font-medium whitespace-nowrap">
                {each}
              </th>
            ))}
            <th scope="col" className="px-2 py-1 text-left font-medium">
              Rest
            </th>
            <td />
          </tr>
        </thead>
        <tbody>
          {of.map((line) => (
            <NumberRow key={`${line.key} ${line.id}`} line={line} />
          ))}
        </tbody>
      </table>
      <p className="mt-3 max-w-prose text-sm text-quiet">
        A number that people answer half as often as before, and as the other numbers, rests by itself for a
        day.
      </p>
    </section>
  );
}

function NumberRow({ line }: { line: Line }) {
  const cells = [count(line.calls), rateText(line.answer_rate), count(line.at_once), count(line.calls_24h)];
  return (
    <tr className="border-b border-line last:border-0">
      <th scope="row" className="py-1 pr-3 text-left font-[inherit] whitespace-nowrap">
        {line.phone_number}
        <span className="ml-2 text-xs text-quiet">{line.key}</span>
      </th>
      {cells.map((cell, nth) => (
        <td key={heads[nth]} className="number px-2 py-1 text-right">
          {cell}
        </td>
      ))}
      <td className="px-2 py-1">
        <Rest of={line} />
      </td>
      <td className="py-1 text-right">
        <RestAct of={line} />
      </td>
    </tr>
  );
}

const why = { hand: 'taken out of use', answers: 'people answer it less', short: 'people hang up on it' };

function Rest({ of: { rest, returns_at: until } }: { of: Line }) {
  if (rest === null) return null;
  return (
    <span className="inline-flex items-center gap-1.5 text-warn">
      <Mark shape="pause" />
      <span>
        rests:
        {why[rest]}
        {until && (
          <>
            , until <Time at={until} />
          </>
        )}
      </span>
    </span>
  );
}

function RestAct({ of: { phone_number: number, id, rest } }: { of: Line }) {
  const may = useMay('operate');
  const begin = useAct('POST /api/numbers/{number}/rest', {
    done: () => `No campaign calls from ${number}.`,
  });
  const end = useAct('POST /api/numbers/{number}/return', {
    done: () => `Campaigns call from ${number} again.`,
  });
  if (!may) return null;
  const act = rest === null ? begin : end;
  const words = rest === null ? 'Rest' : 'Return';
  return (
    <Button
      small
      aria-label={`${words} ${number}`}
      busy={act.isPending}
      onClick={() => act.run({ params: { number: id } })}
    >
      {words}
    </Button>
  );
}
