import type { BodyOf, Pack, PolicyVersion } from '../api/ask.ts';
import { useAsk } from '../data/queries.ts';
import { counted, spanText } from '../kit/words.ts';
import { weekWords } from './week.ts';

/** The contact rules as they are written, and the packs of legal hours that they name. */
export type WrittenRules = Exclude<BodyOf<'PUT /api/policy'>, null | undefined>;
export const rulesOf = ({ body }: PolicyVersion) => (body ?? {}) as WrittenRules;

/** The days without calls are one rule, however many they are. */
export const numberOf = ({ hours = [], caps = [], not_on: notOn = [], ...spans }: WrittenRules) =>
  hours.length + caps.length + [spans.gap, spans.after_conversation, notOn.length].filter(Boolean).length;

/** All of them in a line, but for the hours. */
export const rulesText = ({ caps = [], gap, after_conversation: pause, not_on: dates = [] }: WrittenRules) =>
  [
    ...caps.map(({ calls, per }) => `at most ${counted(calls, 'call')} to a phone in ${spanText(per)}`),
    gap && `${spanText(gap)} between two`,
    pause && `${spanText(pause)} after a conversation`,
    dates.length > 0 && `none on ${counted(dates.length, 'day')}`,
  ]
    .filter(Boolean)
    .join(', ');

/** The packs whose hours are in force; undefined while that is read. */
export function useHoursInForce(): Pack[] | undefined {
  const policy = useAsk('GET /api/policy', {}).data;
  const packs = useAsk('GET /api/policy/packs', {}).data?.items;
  return policy && packs?.filter(({ name }) => rulesOf(policy).hours?.includes(name));
}

export const wholeOf = ({ rows }: Pack) => rows.find(({ area }) => !area.includes('-'))?.hours ?? '';
export const hoursOf = (pack: Pack) => weekWords(wholeOf(pack));

const regions = new Intl.DisplayNames('en', { type: 'region', style: 'short' });

export const regionOf = ({ rows }: Pack) => regionText(rows[0]!.area.slice(0, 2));
export const regionText = (country: string) =>
  `${/^(?:AE|GB|NL|PH|US)$/.test(country) ? 'the ' : ''}${regions.of(country)}`;

export function stricterOf({ rows }: Pack): string {
  const states = new Set(rows.map(({ area }) => area).filter((area) => area.includes('-')));
  return states.size === 0 ? '' : `, stricter in ${counted(states.size, 'region')}`;
}
