import type { ReactNode } from 'react';
import type { BodyOf } from '../../api/ask.ts';
import type { Pack, PolicyVersion } from '../../api/description.ts';
import { useAsk } from '../../data/queries.ts';
import { hourText } from '../../kit/local-time.ts';
import { classes, counted, spanText } from '../../kit/words.ts';
import { readWeek, type Week, weekWords } from '../../order/week.ts';

/** Contact rules as they are written. */
export type WrittenRules = Exclude<BodyOf<'PUT /api/policy'>, null | undefined>;
export const rulesOf = ({ body }: PolicyVersion) => (body ?? {}) as WrittenRules;

export const numberOf = ({ hours = [], caps = [], not_on: notOn = [], ...spans }: WrittenRules) =>
  hours.length + caps.length + notOn.length + [spans.gap, spans.after_conversation].filter(Boolean).length;
export const isWithoutRules = (rules: WrittenRules) => numberOf(rules) === 0;

/** A sentence for each rule; `isWhole`: also for those that there are not. Hours are told, and not only the pack that has them. */
export function RuleLines({ rules, isWhole = false }: { rules: WrittenRules; isWhole?: boolean }) {
  const { hours = [], caps = [], gap, after_conversation: pause, not_on: notOn = [] } = rules;
  const packs = useAsk('GET /api/policy/packs', {}, { enabled: hours.length > 0 });
  const line = (is: ReactNode, none: string) =>
    is ? <li>{is}</li> : isWhole && <li className="text-quiet">{none}</li>;
  const times = caps.map(({ calls, per }) => `at most ${counted(calls, 'time')} in ${spanText(per)}`);
  return (
    <ul className="space-y-1.5">
      {hours.map((name) => {
        const pack = packs.data?.items.find((each) => each.name === name);
        if (!pack) return <li key={name}>{name}</li>;
        return (
          <li key={name}>
            People are called <b className="font-semibold">{hoursOf(pack)}</b>, by their own clock.
            <DayBars pack={pack} isInForce />
            <span className="block text-sm text-quiet" title={`The pack ${name}`}>
              {capital(pack.title)}
              {stricterOf(pack)}
              {stricterOf(pack) &&
                '; where a number’s state is not known, in the strictest that it may belong to'}
              .
            </span>
          </li>
        );
      })}
      {hours.length === 0 && isWhole && (
        <li className="text-quiet">
          People are called in the hours of each campaign, which may be any: no legal hours hold.
          <DayBars />
        </li>
      )}
      {line(
        caps.length > 0 && `One phone is called ${times.join(', ')}.`,
        'One phone is called as often as the campaigns say.',
      )}
      {line(
        gap && `Between two calls to a phone there are ${spanText(gap)} at least.`,
        'Two calls to a phone may follow each other at once.',
      )}
      {line(
        pause && `After a conversation a phone rests for ${spanText(pause)}.`,
        'After a conversation a phone does not rest.',
      )}
      {line(
        notOn.length > 0 && `Nobody is called on ${notOn.map(dateWords).join(', ')}.`,
        'No day is kept free of calls.',
      )}
    </ul>
  );
}

export const capital = (text: string) => `${text[0]?.toUpperCase() ?? ''}${text.slice(1)}`;

/** The hours of the country as a whole. */
const wholeOf = ({ rows }: Pack) => rows.find(({ area }) => !area.includes('-'))?.hours ?? '';
export const hoursOf = (pack: Pack) => weekWords(wholeOf(pack));

/** The open hours of a pack on a day's bar, one for all days that are alike; without one, any hour. */
export function DayBars({ pack, isInForce }: { pack?: Pack; isInForce?: boolean }) {
  const week = readWeek(pack ? wholeOf(pack) : '');
  const alike = [...new Set(week?.map((spans) => JSON.stringify(spans)))];
  return (
    <span aria-hidden="true" className="my-2 block max-w-2xl">
      {alike.map((spans) => (
        <span key={spans} className="relative mb-1 block h-2.5 rounded-sm bg-track">
          {(JSON.parse(spans) as Week[number]).map(([from, to]) => (
            <span
              key={from}
              className={classes('absolute inset-y-0 rounded-sm', isInForce ? 'bg-good-fill' : 'bg-ink-3')}
              style={{ left: `${from / 14.4}%`, width: `${(to - from) / 14.4}%` }}
            />
          ))}
        </span>
      ))}
      <span className="flex justify-between text-2xs text-quiet">
        {[0, 6, 12, 18, 24].map((hour) => (
          <span key={hour}>{hourText(hour)}</span>
        ))}
      </span>
    </span>
  );
}

export function stricterOf({ rows }: Pack): string {
  const states = new Set(rows.map(({ area }) => area).filter((area) => area.includes('-')));
  return states.size === 0 ? '' : `, stricter in ${counted(states.size, 'state')}`;
}

const dateFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' });
export const dateWords = (date: string) =>
  /^\d{4}-\d\d-\d\d$/.test(date)
    ? dateFormat.format(new Date(date))
    : date.replace(/^holidays:(.*)$/, '$1 public holidays');
