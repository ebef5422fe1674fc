import type { Pack } from '../../api/description.ts';
import { useAsk } from '../../data/queries.ts';
import { Section } from '../../kit/card.tsx';
import { Fact, Facts } from '../../kit/facts.tsx';
import { hourText } from '../../kit/local-time.ts';
import { counted, spanText } from '../../kit/words.ts';
import { readWeek, type Week, weekWords } from '../../order/week.ts';
import type { WrittenRules } from './written.ts';

export function Rules({ rules }: { rules: WrittenRules }) {
  return (
    <Section id="rules" title="What holds for every call">
      <RuleLines rules={rules} isWhole />
    </Section>
  );
}

export const numberOf = ({ hours = [], caps = [], not_on: notOn = [], ...spans }: WrittenRules) =>
  hours.length + caps.length + notOn.length + [spans.gap, spans.after_conversation].filter(Boolean).length;
export const isWithoutRules = (rules: WrittenRules) => numberOf(rules) === 0;

/** A line for each rule; `isWhole`: also for those that there are not. Hours are told, and not only the pack that has them. */
export function RuleLines({ rules, isWhole = false }: { rules: WrittenRules; isWhole?: boolean }) {
  const { hours = [], caps = [], gap, after_conversation: pause, not_on: notOn = [] } = rules;
  const packs = useAsk('GET /api/policy/packs', {}, { enabled: hours.length > 0 });
  const line = (name: string, is: string | undefined | null, none: string) =>
    (is || isWhole) && <Fact name={name}>{is || <span className="text-quiet">{none}</span>}</Fact>;
  return (
    <Facts names="wide">
      {hours.length === 0 &&
        line('People are called', null, 'in the hours of each campaign; no legal hours hold')}
      {hours.map((name) => {
        const pack = packs.data?.items.find((each) => each.name === name);
        return (
          <Fact key={name} name="People are called">
            {pack ? (
              <>
                <b className="font-semibold">{hoursOf(pack)}</b>, by their own clock
                <DayBars week={readWeek(wholeOf(pack))} />
                <span className="block text-sm text-quiet" title={`The pack ${name}`}>
                  {capital(pack.title)}
                  {stricterOf(pack)}
                  {stricterOf(pack) &&
                    '; where a number’s state is not known, in the strictest that it may belong to'}
                  .
                </span>
              </>
            ) : (
              name
            )}
          </Fact>
        );
      })}
      {line(
        'One phone is called',
        caps.map(({ calls, per }) => `at most ${counted(calls, 'time')} in ${spanText(per)}`).join(', '),
        'as often as the campaigns say',
      )}
      {line('Between two calls', gap && `${spanText(gap)} at least`, 'no gap')}
      {line('After a conversation', pause && `${spanText(pause)} before the next call`, 'no pause')}
      {line('Days without calls', notOn.map(dateWords).join(', '), 'none')}
    </Facts>
  );
}

export const capital = (text: string) => `${text[0]?.toUpperCase() ?? ''}${text.slice(1)}`;

/** The hours of the country as a whole. */
const wholeOf = ({ rows }: Pack) => rows.find(({ area }) => !area.includes('-'))?.hours ?? '';
export const hoursOf = (pack: Pack) => weekWords(wholeOf(pack));

/** The open hours on a day's bar, one for all days that are alike. */
function DayBars({ week }: { week: Week | null }) {
  const alike = [...new Set(week?.map((spans) => JSON.stringify(spans)))];
  return (
    <span aria-hidden="true" className="my-2 block max-w-md">
      {alike.map((spans) => (
        <span key={spans} className="relative mb-1 block h-2.5 rounded-sm bg-track">
          {(JSON.parse(spans) as Week[number]).map(([from, to]) => (
            <span
              key={from}
              className="absolute inset-y-0 rounded-sm bg-good-fill"
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
const dateWords = (date: string) =>
  /^\d{4}-\d\d-\d\d$/.test(date)
    ? dateFormat.format(new Date(date))
    : date.replace(/^holidays:/, 'public holidays of ');
