import type { ReactNode } from 'react';
import type { Campaign } from '../api/description.ts';
import { Mark } from '../kit/badge.tsx';
import { Button } from '../kit/button.tsx';
import { Time } from '../kit/time.tsx';
import { classes, cost, count, counted, spanText, waitsText } from '../kit/words.ts';
import { fieldsOf, type OrderGroup, type OrderName } from './fields.ts';
import { outcomeWords } from './retry-field.tsx';
import { weekWords } from './week.ts';

/** The order as a person would say it: what was chosen stands out; what nobody chose is among the defaults. It is of a campaign, or of a draft of this browser. */
export type Ordered = Pick<Campaign, OrderName>;

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
      override && [
        'The agent is as at the service, but for',
        Object.keys(override)
          .map((name) => name.replaceAll('_', ' '))
          .join(', '),
        '.',
      ],
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
        : {window || days ? <b>{weekWords(window, days)}</b> : 'every day, at any hour'}, from{' '}
        {start ? <At time={start} /> : 'the start'} until {end ? <At time={end} /> : 'everyone is done'}.
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
          <b>One call each</b>, and no retries.
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
      first && ['It pauses', `after the first ${count(first)}`, ', so that you can listen.'],
      share && ['It pauses when', `${share} of the calls${span ? ` of ${spanText(span)}` : ''} fail`, '.'],
      most === null
        ? 'Its calls have no budget of their own.'
        : ['Its calls may cost', cost(most), 'at most.'],
      opt_out && ['Who asks for no more calls', 'is suppressed', '.'],
      callback_at && ['Who asks to be called back', 'is called', 'at the time that they name.'],
      on_unknown === 'hold' && ['A call in doubt', 'waits for you', ': it is not made twice.'],
      evergreen && ['People who are added later', 'are called without a start', '.'],
      hang_up && ['A suppression', 'ends a call in progress', 'too.'],
    ];
  },
};

type Sentence = ReactNode | readonly [before: string, chosen: string, after: string];

const Sentences = ({ of }: { of: readonly Sentence[] }) =>
  of.filter(Boolean).map((each, nth) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: sentences do not move.
    <span key={nth}>{Array.isArray(each) ? <Said of={each as [string, string, string]} /> : each} </span>
  ));

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

/** Choices by which more people may be called than one would wish, each with the one that ends it. */
export type Risk = { field: OrderName; words: string; act: string; value: string };

const isGrave = ({ field }: Risk) => field === 'window' || field === 'opt_out';

const risks: readonly (Risk & { of?: string })[] = [
  {
    field: 'window',
    words: 'It has no hours, and no contact rules are in force: people are called at night too.',
    act: `Call ${weekWords('09:00-20:00')}`,
    value: '09:00-20:00',
  },
  {
    field: 'opt_out',
    words: 'People who ask for no more calls would be called again.',
    act: 'Suppress who asks',
    value: 'structured_data.opt_out=true',
  },
  {
    field: 'first',
    words: 'It calls everyone from the start, before anyone has heard a call.',
    act: 'Pause after the first 20',
    value: '20',
  },
  {
    field: 'stop_at',
    words: 'It goes on however many calls fail.',
    act: 'Pause when calls fail',
    value: '50%/2m',
  },
  {
    field: 'on_unknown',
    of: 'redial',
    words: 'A call in doubt is made again once: someone may be called twice.',
    act: 'Hold calls in doubt',
    value: 'hold',
  },
];

/** `called` people are beyond a choice about the first ones; legal hours that are in force bound those of an order. */
export const risksOf = (order: Ordered, called: number, isBound: boolean): readonly Risk[] =>
  risks.filter(
    ({ field, of, value }) =>
      order[field] === (of ?? null) &&
      (field !== 'first' || called < Number(value)) &&
      (field !== 'window' || !isBound),
  );

type RisksProps = { of: readonly Risk[]; onChange?: ((risk: Risk) => void) | false };

export const Risks = ({ of, onChange }: RisksProps) => (
  <ul aria-label="Risks" className="divide-y divide-line text-text empty:hidden">
    {of.map((risk) => (
      <li key={risk.field} className="flex min-h-11 flex-wrap items-center gap-2.5 py-1.5 text-base">
        <Mark shape="up" className={isGrave(risk) ? 'text-bad' : 'text-warn'} />
        <span className={classes('min-w-0 flex-1', isGrave(risk) && 'text-bad')}>{risk.words}</span>
        {onChange && (
          <Button small onClick={() => onChange(risk)}>
            {risk.act}
          </Button>
        )}
      </li>
    ))}
  </ul>
);
