import type { ReactNode } from 'react';
import type { Campaign } from '../api/description.ts';
import { Mark } from '../kit/badge.tsx';
import { Fact, Facts } from '../kit/facts.tsx';
import { Time } from '../kit/time.tsx';
import { Fields } from '../kit/tree.tsx';
import { cost, count, counted, spanText, waitsText } from '../kit/words.ts';
import { fieldsOf, type OrderField, type OrderName, textOf } from './fields.ts';
import { outcomeWords } from './retry-field.tsx';
import { weekWords } from './week.ts';

/** The order as a person would say it: a line a fact, with the default where nothing was chosen. */
type Line = readonly [name: string, words: ReactNode];
/** A campaign's, or one that is still a draft of this browser. */
export type Ordered = Pick<Campaign, OrderName>;
type Tell = (order: Ordered) => Line[];

type WordsProps = { fields: readonly OrderField[]; order: Ordered; names?: 'narrow' | 'plain' };

export function OrderWords({ fields, order, names = 'plain' }: WordsProps) {
  // Where nobody is called again, no rule of it has an effect.
  const isOnce = order.max_attempts === 1;
  const lines = fields
    .filter(({ name }) => !isOnce || name === 'max_attempts' || !ofRetries.has(name))
    .flatMap((field) => (telling[field.name] ?? plainly(field))(order));
  return (
    <Facts names={names}>
      {lines.map(([name, words]) => (
        <Fact key={name} name={name}>
          {words}
        </Fact>
      ))}
    </Facts>
  );
}

const ofRetries = new Set(fieldsOf('tries').map(({ name }) => name));

/** What holds because nobody chose anything else. */
const usual = (words: string) => <span className="text-quiet">{words}</span>;
/** A choice by which more people may be called than one would wish. */
const risky = (words: string) => (
  <span className="inline-flex items-start gap-1.5 text-warn [&>svg]:mt-1">
    <Mark shape="up" />
    {words}
  </span>
);
const line = (name: string, words: ReactNode): Line[] => [[name, words]];
const withOther = () => [];

/** A field without words of its own says its value. */
const plainly =
  (field: OrderField): Tell =>
  (order) =>
    line(field.label, spanText(textOf(field, order)) || usual(field.empty ?? 'as by default'));

const telling: Partial<Record<OrderName, Tell>> = {
  agent: ({ agent }) =>
    line('Who speaks', Array.isArray(agent) ? `${agent.join(', ')}: they share the people` : agent),
  from: ({ from, number_ids: ids }) => {
    const numbers = [
      ...from.map(callerText),
      ...(ids.length > 0 ? [counted(ids.length, 'number by its id', 'numbers by id')] : []),
    ];
    return line('Calls come from', numbers.join(', ') || usual('a number that the service chooses'));
  },
  caller: ({ caller, from, number_ids: ids }) =>
    from.includes('all') || from.length + ids.length > 1 ? line('Which one calls', callerWords[caller]) : [],
  per_number_calls: ({ per_number_calls: calls, per_number_day: day }) => {
    const most = [
      ...(calls ? [`${counted(calls, 'call')} at once`] : []),
      ...(day ? [`${count(day)} in 24 hours, over all campaigns`] : []),
    ];
    return line(
      'Each number',
      most.length > 0 ? `makes at most ${most.join(', ')}` : usual('makes any number of calls'),
    );
  },
  per_number_day: withOther,
  number_ids: withOther,
  override: ({ override }) =>
    line('Agent’s settings', override ? <Override of={override} /> : usual('as they are at the service')),
  country: ({ country }) =>
    line(
      'National numbers',
      country ? `are read as numbers of ${country}` : usual('are rejected: each phone begins with +'),
    ),
  window: ({ window, days }) =>
    line('Hours', window || days ? weekWords(window, days) : usual('any hour that the contact rules allow')),
  days: withOther,
  timezone: ({ timezone }) =>
    line('Whose clock', timezone ? `each person’s own, else ${timezone}` : usual('each person’s own')),
  not_on: ({ not_on: dates, holidays }) => {
    const left = [...(dates ?? []), ...(holidays ? [`public holidays of ${holidays}`] : [])];
    return line('Not on', left.join(', ') || usual('every date is used'));
  },
  holidays: withOther,
  start_at: ({ start_at: at }) => line('Begins', at ? <Time at={at} /> : usual('as soon as it is started')),
  end_at: ({ end_at: at }) =>
    line(
      'Ends',
      at ? (
        <>
          <Time at={at} />: people not called by then are skipped
        </>
      ) : (
        usual('when everyone is done')
      ),
    ),
  max_attempts: ({ max_attempts: most }) =>
    line('Tries', most === 1 ? 'one: nobody is called again' : `up to ${count(most)} for each person`),
  retry: ({ retry }) => afterEach(retry),
  next_number: ({ next_number: rules }) =>
    line(
      'Next number',
      Object.entries(rules ?? {})
        .map(
          ([outcome, wait]) =>
            `after ${outcomeText(outcome)} ${wait === 'now' ? 'at once' : `in ${waitsText(wait)}`}`,
        )
        .join(', ') || usual('of a person with several: at the next try'),
    ),
  retry_when: ({ retry_when: when }) =>
    line(
      'Time of day',
      when === 'spread' ? 'another part of the day than before' : usual('as these waits say'),
    ),
  max_calls: ({ max_calls: most }) =>
    line(
      'At once',
      most === null ? usual('as many calls as the service takes') : `at most ${counted(most, 'call')}`,
    ),
  weight: ({ weight }) =>
    line(
      'Its share',
      weight === 1
        ? usual('the same as of other campaigns')
        : `${count(weight)} times that of a plain campaign`,
    ),
  result_delay: ({ result_delay: delay }) =>
    line(
      'Results',
      delay ? `may come ${spanText(delay)} later, to save requests` : usual('come as calls end'),
    ),
  first: ({ first }) =>
    line(
      'First people',
      first
        ? `it pauses after ${count(first)}, for your ear`
        : risky('calls everyone from the start; it does not pause after the first people'),
    ),
  max_cost: ({ max_cost: most }) =>
    line('Money', most === null ? usual('as much as its calls cost') : `calls for ${cost(most)} at most`),
  stop_at: ({ stop_at: at }) =>
    line('When calls fail', at ? `it pauses at ${spanText(at)}` : risky('it never pauses by itself')),
  opt_out: ({ opt_out: field }) =>
    line(
      'Opt-outs',
      field ? (
        <span title={field}>people who ask for no more calls are suppressed</span>
      ) : (
        risky('not read from what people say: one who asks for no more calls may be called again')
      ),
    ),
  callback_at: ({ callback_at: field }) =>
    line(
      'Callbacks',
      field ? (
        <span title={field}>people who ask to be called back are, at the time that they name</span>
      ) : (
        usual('not read from what people say')
      ),
    ),
  on_unknown: ({ on_unknown: act }) =>
    line(
      'Calls in doubt',
      act === 'hold'
        ? 'they wait for you: nobody is called twice'
        : risky('made again once: someone may be called twice'),
    ),
  evergreen: ({ evergreen }) =>
    line('New people', evergreen ? 'are called as they are added' : usual('wait until it is started again')),
  hang_up: ({ hang_up: hangsUp }) =>
    line(
      'Suppressed',
      hangsUp ? 'a call in progress is hung up' : usual('a call in progress goes on to its end'),
    ),
};

const callerWords: Readonly<Record<Campaign['caller'], ReactNode>> = {
  rotate: usual('they take turns'),
  local: 'the one nearest to the person',
  sticky: 'the one that the person knows',
};

function callerText(from: string): string {
  if (from === 'all') return 'every number of the account';
  const [field, value] = from.split(':');
  return value === undefined ? from : `numbers whose ${field} is ${value}`;
}

const outcomeText = (outcome: string) => outcomeWords[outcome]?.toLowerCase() ?? outcome;

/** How many choices the words above mark. */
export const risksOf = ({ first, stop_at: stopAt, opt_out: optOut, on_unknown: act }: Ordered) =>
  [first === null, stopAt === null, optOut === null, act === 'redial'].filter(Boolean).length;

/** `After no answer: again in 2 h, then 1 day`; outcomes without a rule in one line. */
function afterEach(retry: Campaign['retry']): Line[] {
  const ruled = Object.entries(retry).map(
    ([outcome, waits]): Line => [`After ${outcomeText(outcome)}`, `again in ${waitsText(waits)}`],
  );
  return [...ruled, ['After all else', ruled.length === 0 ? 'not again: no rule says when' : 'not again']];
}

function Override({ of: settings }: { of: Record<string, unknown> }) {
  const names = Object.keys(settings).map((name) => name.replaceAll('_', ' '));
  return (
    <details>
      <summary>
        as at the service, but {counted(names.length, 'one')}: {names.slice(0, 5).join(', ')}
      </summary>
      <div className="mt-1 rounded-md bg-sunken px-3 py-2">
        <Fields of={settings} />
      </div>
    </details>
  );
}
