import type { ReactNode } from 'react';
import type { Campaign } from '../api/ask.ts';
import { Button, Mark } from '../kit/basics.tsx';
import { Time } from '../kit/values.tsx';
import { classes, count, counted, spanText, waitsText } from '../kit/words.ts';
import { outcomeWords } from './control.tsx';
import { brakes, fieldsOf, type Ordered, type OrderGroup, type Risk, type Sentence } from './fields.ts';
import { weekWords } from './week.ts';

export function OrderWords({ group, order }: { group: OrderGroup; order: Ordered }) {
  const words = telling[group](order);
  if (!Array.isArray(words)) return words;
  return words.filter(Boolean).map((each: ReactNode | Sentence, nth) => {
    const [before, chosen, after] = Array.isArray(each) ? (each as [string, string, string]) : [];
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: sentences do not move.
      <span key={nth}>
        {after === undefined ? (
          (each as ReactNode)
        ) : (
          <>
            {before} <b>{chosen}</b>
            {/^[.,:]/.test(after) ? after : ` ${after}`}
          </>
        )}{' '}
      </span>
    );
  });
}

const telling: Record<OrderGroup, (order: Ordered) => ReactNode | (ReactNode | Sentence)[]> = {
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
  brakes,
};

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

const isGrave = ({ field }: Risk) => field === 'window' || field === 'opt_out';

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
