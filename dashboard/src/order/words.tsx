import { Fragment, type ReactNode } from 'react';
import type { Campaign } from '../api/ask.ts';
import { Button, Mark, stateText } from '../kit/basics.tsx';
import { Time } from '../kit/values.tsx';
import { classes, cost, count, counted, spanText, waitsText } from '../kit/words.ts';
import { failingText, fieldsOf, type Ordered, type OrderGroup, type Risk } from './fields.ts';
import { weekWords } from './week.ts';

/** A sentence whose choices stand out. */
const say = (texts: TemplateStringsArray, ...chosen: ReactNode[]) =>
  texts.map((text, nth) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: words do not move.
    <Fragment key={nth}>
      {text}
      {nth < chosen.length && <b>{chosen[nth]}</b>}
    </Fragment>
  ));

/** An order: of a campaign, or of a draft of this browser. */
export const OrderWords = ({ group, order }: { group: OrderGroup; order: Ordered }) =>
  telling[group](order)
    .filter(Boolean)
    .map((sentence, nth) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: sentences do not move.
      <span key={nth}>{sentence} </span>
    ));

const telling: Record<OrderGroup, (order: Ordered) => ReactNode[]> = {
  who({ from, number_ids: ids, caller, agent, country, override, ...most }) {
    const agents = [agent].flat();
    const numbers = from.map(callerText);
    if (ids.length > 0) numbers.push(counted(ids.length, 'number by its id', 'numbers by id'));
    const { per_number_calls: atOnce, per_number_day: aDay } = most;
    const settings = Object.keys(override ?? {}).map((name) => name.replaceAll('_', ' '));
    return [
      <>
        Calls come from{' '}
        {numbers.length > 0 ? <b>{numbers.join(', ')}</b> : 'a number that the service chooses'}
        {(from.includes('all') || from.length + ids.length > 1) && `, ${callerWords[caller]}`}
        {agents.length > 0 && say`; ${agents.join(', ')}`}
        {agents.length > 0 && (agents.length === 1 ? ' speaks' : ' share the people')}.
      </>,
      atOnce && say`Each number makes at most ${counted(atOnce, 'call')} at once.`,
      aDay && say`Each number makes at most ${counted(aDay, 'call')} in 24 hours, over all campaigns.`,
      country && say`National numbers are read as numbers of ${country}.`,
      override && say`The agent is as at the service, but for ${settings.join(', ')}.`,
    ];
  },
  when({ timezone, window, days, not_on: dates, holidays, start_at: start, end_at: end }) {
    const left = [...(dates ?? []), ...(holidays ? [`public holidays of ${holidays}`] : [])];
    return [
      <>
        In each person’s own time{timezone && say`, else that of ${timezone}`}:{' '}
        {window || days ? <b>{weekWords(window, days)}</b> : 'every day, at any hour'}, from{' '}
        {start ? say`${<Time at={start} />}` : 'the start'} until{' '}
        {end ? say`${<Time at={end} />}` : 'everyone is done'}.
      </>,
      end && 'People who were not called by then are skipped.',
      left.length > 0 && say`Not on ${left.join(', ')}.`,
    ];
  },
  tries(order) {
    const { max_attempts: most, retry, next_number: next, retry_when: when } = order;
    if (most === 1) return [say`${'One call each'}, and no retries.`];
    const rules = Object.entries(retry).map(([outcome, waits], nth) => (
      <Fragment key={outcome}>
        {nth === 0 ? ': ' : ', '}
        {say`after ${stateText(outcome)} again in ${waitsText(waits)}`}
      </Fragment>
    ));
    const numbers = Object.entries(next ?? {}).map(
      ([outcome, wait]) =>
        `after ${stateText(outcome)} ${wait === 'now' ? 'at once' : `in ${waitsText(wait)}`}`,
    );
    return [
      <>
        <b>Up to {count(most)} calls each</b>
        {rules.length === 0 && ', but no rule says after what: nobody is called again'}
        {rules}.
      </>,
      when === 'spread' && say`The next one comes in ${'another part of the day'}.`,
      ...fieldsOf('tries').map(({ kind, name, label }) => kind === 'yes' && order[name] && `${label}.`),
      numbers.length > 0 && say`The next number of a person is tried ${numbers.join(', ')}.`,
    ];
  },
  pace: ({ max_calls: most, weight, result_delay: delay }) => [
    most === null
      ? 'As many calls at once as the service takes.'
      : say`At most ${counted(most, 'call at once', 'calls at once')}.`,
    weight !== 1 && say`It dials ${`${count(weight)} times`} as often as a plain campaign.`,
    delay && delay !== '3s' && say`Results may come ${spanText(delay)} later, to save requests.`,
  ],
  /** What stops it. */
  brakes({ first, max_cost: most, ...order }) {
    const failing = failingText(order);
    return [
      first && say`It pauses ${`after the first ${count(first)}`}, so that you can listen.`,
      failing && say`It pauses when ${failing}.`,
      most === null
        ? 'Its calls have no budget of their own.'
        : say`Its calls may cost ${cost(most)} at most.`,
      order.opt_out && say`Who asks for no more calls ${'is suppressed'}.`,
      order.callback_at && say`Who asks to be called back ${'is called'} at the time that they name.`,
      order.on_unknown === 'hold' && say`A call in doubt ${'waits for you'}: it is not made twice.`,
      order.evergreen && say`People who are added later ${'are called without a start'}.`,
      order.hang_up && say`A suppression ${'ends a call in progress'} too.`,
    ];
  },
};

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
