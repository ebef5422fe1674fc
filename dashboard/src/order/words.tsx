import type { ReactNode } from 'react';
import type { Campaign } from '../api/description.ts';
import { Fields } from '../kit/data.tsx';
import { Time } from '../kit/time.tsx';
import { cost, count, counted, spanText, waitsText } from '../kit/words.ts';
import { fieldsOf, type OrderField, type OrderGroup, type OrderName, orderFields, textOf } from './fields.ts';
import { outcomeWords } from './retry-field.tsx';
import { weekWords } from './week.ts';

/** The order as a person would say it: what was chosen stands out; what nobody chose is among the defaults. It is of a campaign, or of a draft of this browser. */
export type Ordered = Pick<Campaign, OrderName>;

/** A group of the order in a sentence or two. */
export function OrderWords({ group, order }: { group: OrderGroup; order: Ordered }) {
  const words = telling[group](order);
  return Array.isArray(words) ? <Sentences of={words} /> : words;
}

const telling: Record<OrderGroup, (order: Ordered) => ReactNode | Sentence[]> = {
  who({ from, number_ids: ids, caller, agent, country, override, ...most }) {
    const agents = [agent].flat();
    const numbers = from.map(callerText);
    if (ids.length > 0) numbers.push(counted(ids.length, 'number by its id', 'numbers by id'));
    const { per_number_calls: atOnce, per_number_day: aDay } = most;
    return [
      <>
        Calls come from{' '}
        {numbers.length > 0 ? <b>{numbers.join(', ')}</b> : 'a number that the service chooses'}
        {(from.includes('all') || from.length + ids.length > 1) && `, ${callerWords[caller]}`}
        {agents.length > 0 && '; '}
        {agents.length > 0 && <b>{agents.join(', ')}</b>}
        {agents.length > 0 && (agents.length === 1 ? ' speaks' : ' share the people')}.
      </>,
      atOnce && ['Each number makes at most', counted(atOnce, 'call'), 'at once.'],
      aDay && ['Each number makes at most', counted(aDay, 'call'), 'in 24 hours, over all campaigns.'],
      country && ['National numbers are read as numbers of', country, '.'],
      override && <Override of={override} />,
    ];
  },
  when({ timezone, window, days, not_on: dates, holidays, start_at: start, end_at: end }) {
    const left = [...(dates ?? []), ...(holidays ? [`public holidays of ${holidays}`] : [])];
    return [
      <>
        In each person’s own time
        {timezone && (
          <>
            , else that of <b>{timezone}</b>
          </>
        )}
        :{' '}
        {window || days ? (
          <b>{weekWords(window, days)}</b>
        ) : (
          'every day, at any hour that the contact rules allow'
        )}
        , from {start ? <At time={start} /> : 'the start'} until{' '}
        {end ? <At time={end} /> : 'everyone is done'}.
      </>,
      end && 'People who were not called by then are skipped.',
      left.length > 0 && ['Not on', left.join(', '), '.'],
    ];
  },
  tries(order) {
    const { max_attempts: most, retry, next_number: next, retry_when: when } = order;
    if (most === 1)
      return (
        <>
          <b>One call each</b>: nobody is called again.
        </>
      );
    const rules = Object.entries(retry);
    const numbers = Object.entries(next ?? {}).map(
      ([outcome, wait]) =>
        `after ${outcomeText(outcome)} ${wait === 'now' ? 'at once' : `in ${waitsText(wait)}`}`,
    );
    return [
      <>
        <b>Up to {count(most)} calls each</b>
        {rules.length === 0 && ', but no rule says after what: nobody is called again'}
        {rules.map(([outcome, waits], nth) => (
          <span key={outcome}>
            {nth === 0 ? ': ' : ', '}after <b>{outcomeText(outcome)}</b> again in <b>{waitsText(waits)}</b>
          </span>
        ))}
        .
      </>,
      when === 'spread' && ['The next one comes in', 'another part of the day', '.'],
      ...fieldsOf('tries').map(({ kind, name, label }) => kind === 'yes' && order[name] && `${label}.`),
      numbers.length > 0 && ['The next number of a person is tried', numbers.join(', '), '.'],
    ];
  },
  pace: ({ max_calls: most, weight, result_delay: delay }) => [
    most === null
      ? 'As many calls at once as the service takes.'
      : ['At most', counted(most, 'call at once', 'calls at once'), '.'],
    weight !== 1 && ['It dials', `${count(weight)} times`, 'as often as a plain campaign.'],
    delay && delay !== '3s' && ['Results may come', spanText(delay), 'later, to save requests.'],
  ],
  brakes({ first, stop_at: stop, max_cost: most, opt_out, callback_at, on_unknown, evergreen, hang_up }) {
    const [share, span] = stop?.split('/') ?? [];
    return [
      first && ['It pauses', `after the first ${count(first)}`, ', for your ear.'],
      share && ['It pauses when', `${share} of the calls${span ? ` of ${spanText(span)}` : ''} fail`, '.'],
      most !== null && ['Its calls may cost', cost(most), 'at most.'],
      opt_out && ['Who asks for no more calls', 'is suppressed', '.'],
      callback_at && ['Who asks to be called back', 'is called again', 'at the time that they name.'],
      on_unknown === 'hold' && ['A call in doubt', 'waits for you', ': nobody is called twice.'],
      evergreen && ['People who are added later', 'are called without a start', '.'],
      hang_up && ['A suppression', 'ends a call in progress', 'too.'],
    ];
  },
};

/** One in three parts has what was chosen in the middle. */
type Sentence = ReactNode | readonly [before: string, chosen: string, after: string];

function Sentences({ of }: { of: readonly Sentence[] }) {
  return of.filter(Boolean).map((each, nth) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: sentences do not move.
    <span key={nth}>{Array.isArray(each) ? <Said of={each as [string, string, string]} /> : each} </span>
  ));
}

const Said = ({ of: [before, chosen, after] }: { of: [string, string, string] }) => (
  <>
    {before} <b>{chosen}</b>
    {/^[.,:]/.test(after) ? after : ` ${after}`}
  </>
);

const At = ({ time }: { time: string }) => (
  <b>
    <Time at={time} />
  </b>
);

const callerWords: Readonly<Record<Campaign['caller'], string>> = {
  rotate: 'in turns',
  local: 'the one nearest to the person',
  sticky: 'the one that the person knows',
};

function callerText(from: string): string {
  if (from === 'all') return 'every number of the account';
  const [field, value] = from.split(':');
  return value === undefined ? from : `numbers whose ${field} is ${value}`;
}

const outcomeText = (outcome: string) => outcomeWords[outcome]?.toLowerCase() ?? outcome;

function Override({ of: settings }: { of: Record<string, unknown> }) {
  const names = Object.keys(settings).map((name) => name.replaceAll('_', ' '));
  return (
    <details>
      <summary>
        The agent is as at the service, but {counted(names.length, 'setting')}:{' '}
        <b>{names.slice(0, 5).join(', ')}</b>
      </summary>
      <div className="mt-1 rounded-md bg-sunken px-3 py-2">
        <Fields of={settings} />
      </div>
    </details>
  );
}

/** Choices by which more people may be called than one would wish, each with the one that ends it. */
export type Risk = { field: OrderName; words: string; act: string; value: string };

const risks: readonly (Risk & { of: string | null })[] = [
  {
    field: 'first',
    of: null,
    words: 'It calls everyone from the start, before anyone has heard a call.',
    act: 'Pause after the first 20',
    value: '20',
  },
  {
    field: 'stop_at',
    of: null,
    words: 'It never pauses by itself, however many calls fail.',
    act: 'Pause when calls fail',
    value: '50%/2m',
  },
  {
    field: 'opt_out',
    of: null,
    words: 'Nobody reads whether a person asks for no more calls: they may be called again.',
    act: 'Read opt-outs',
    value: 'structured_data.opt_out=true',
  },
  {
    field: 'on_unknown',
    of: 'redial',
    words: 'A call in doubt is made again once: someone may be called twice.',
    act: 'Hold calls in doubt',
    value: 'hold',
  },
];

/** `called` people are beyond a choice about the first ones. */
export const risksOf = (order: Ordered, called = 0): readonly Risk[] =>
  risks.filter(
    ({ field, of, value }) => order[field] === of && (field !== 'first' || called < Number(value)),
  );

/** These are told in any case, or by the control of another one. */
const told: readonly OrderName[] = ['agent', 'max_attempts', 'on_unknown', 'days', 'number_ids'];

/** What holds because nobody chose anything else, folded. */
export function Defaults({ order }: { order: Ordered }) {
  const isKept = (field: OrderField) =>
    !told.includes(field.name) &&
    !risks.some(({ field: name, of }) => name === field.name && order[name] === of) &&
    ['', field.empty].includes(textOf(field, order));
  const kept = orderFields.filter(isKept);
  return (
    <details className="border-t border-line py-3 text-sm">
      <summary className="w-max text-quiet">
        {counted(kept.length, 'setting keeps its default', 'settings keep their defaults')}
      </summary>
      <div className="mt-3 columns-1 gap-x-10 space-y-1 text-quiet lg:columns-2 xl:columns-3">
        {kept.map(({ name, label, empty, choices }) => (
          <p key={name}>
            {label}: {choices.find(({ value }) => value === empty)?.label ?? spanText(empty ?? 'none')}
          </p>
        ))}
      </div>
    </details>
  );
}
