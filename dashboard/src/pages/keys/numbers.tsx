import type { AnswerOf } from '../../api/ask.ts';
import { useAct, useAsk } from '../../data/queries.ts';
import { rateText } from '../../kit/answers.tsx';
import { Mark } from '../../kit/badge.tsx';
import { Button } from '../../kit/button.tsx';
import { Section } from '../../kit/card.tsx';
import { Read } from '../../kit/empty.tsx';
import { Phone } from '../../kit/phone.tsx';
import { type Column, DataTable, right } from '../../kit/table/data-table.tsx';
import { Time } from '../../kit/time.tsx';
import { count } from '../../kit/words.ts';
import { useMay } from '../../shell/me.ts';

/** The numbers that the keys call from: how their calls do, which rest, and taking one out of use. */
type Listed = AnswerOf<'GET /api/numbers'>['items'][number];
type Line = Listed & { keys: readonly string[] };

/** A number is one, whichever keys have it: what is counted of it is counted over all of them. */
function byNumber(items: readonly Listed[]): Line[] {
  const lines = new Map<string, Line>();
  for (const item of items) {
    const of = `${item.phone_number ?? ''} ${item.id}`;
    lines.set(of, { ...item, keys: [...(lines.get(of)?.keys ?? []), item.key] });
  }
  return [...lines.values()];
}

export function CallerNumbers() {
  const numbers = useAsk('GET /api/numbers', {});
  return (
    <Section id="numbers" title="Caller numbers" bare>
      <Read of={numbers} lines={3}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="text-quiet">The service lists no numbers.</p>
          ) : (
            <Numbers of={byNumber(items)} />
          )
        }
      </Read>
    </Section>
  );
}

/** Where the service chooses the number, zeros would read as if nothing worked. */
const isUsed = ({ calls, calls_24h: day, at_once: now }: Line) => calls + day + now > 0;

const columns: readonly Column<Line>[] = [
  {
    id: 'number',
    head: 'Number',
    cell: ({ phone_number: number, label, keys }) => (
      <>
        <span className="font-medium">
          <Phone phone={number} />
        </span>
        <span className="ml-2 text-quiet">{[label, keys.join(', ')].filter(Boolean).join(' · ')}</span>
      </>
    ),
  },
  right('calls', 'Calls', ({ calls }) => count(calls), { has: isUsed }),
  right('answered', 'Calls answered', ({ answer_rate: rate }) => rateText(rate), { has: isUsed }),
  right('now', 'In progress', ({ at_once: n }) => count(n), { has: isUsed }),
  right('day', 'In 24 hours', ({ calls_24h: n }) => count(n), { has: isUsed }),
  { id: 'rest', head: 'Rest', has: ({ rest }) => rest !== null, cell: (line) => <Rest of={line} /> },
  { id: 'act', head: '', number: true, cell: (line) => <RestAct of={line} /> },
];

function Numbers({ of }: { of: readonly Line[] }) {
  return (
    <>
      {!of.some(isUsed) && (
        <p className="mb-2 max-w-prose text-sm text-quiet">
          No campaign has chosen one of these numbers: the service chooses one for each call, and such calls
          are not counted here.
        </p>
      )}
      <DataTable
        label="Caller numbers"
        rows={of}
        columns={columns}
        keyOf={({ phone_number: number, id }) => `${number} ${id}`}
      />
      <p className="mt-3 max-w-prose text-sm text-quiet">
        A number that people answer half as often as before, and as the other numbers, rests by itself for a
        day.
      </p>
    </>
  );
}

const why = { hand: 'taken out of use', answers: 'people answer it less', short: 'people hang up on it' };

function Rest({ of: { rest, returns_at: until } }: { of: Line }) {
  if (rest === null) return null;
  return (
    <span className="inline-flex items-center gap-1.5 text-warn">
      <Mark shape="pause" />
      <span>
        rests: {why[rest]}
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
  const words = rest === null ? 'Take out of use' : 'Use again';
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
