import { readTexts } from '../../api/search.ts';

/** The address of a campaign's page holds the tab and the filter of its people. */
const campaignTabs = ['overview', 'people', 'order', 'results', 'activity'] as const;
export type CampaignTab = (typeof campaignTabs)[number];

/** As the API takes them. Several states or outcomes are separated by commas. */
export const peopleFields = [
  'state',
  'outcome',
  'name',
  'phone',
  'since',
  'until',
  'key',
  'from',
  'variable',
] as const;
export type PeopleSearch = { [Field in (typeof peopleFields)[number]]?: string };
/** How far back the charts go. */
export const spans = ['1h', '6h', '24h', '7d', '30d'] as const;
export type Span = (typeof spans)[number];
export type CampaignSearch = PeopleSearch & {
  tab?: CampaignTab;
  span?: Span;
  /** The latest call first, or as in the list. */
  order?: 'moved' | 'row';
  /** The row at which the list of people begins. */
  row?: number;
};

export function readCampaignSearch(given: Record<string, unknown>): CampaignSearch {
  const row = Number(given.row);
  return {
    ...(campaignTabs.includes(given.tab as CampaignTab) ? { tab: given.tab as CampaignTab } : {}),
    ...(spans.includes(given.span as Span) ? { span: given.span as Span } : {}),
    ...readPeople(given),
    ...(given.order === 'moved' || given.order === 'row' ? { order: given.order } : {}),
    ...(Number.isSafeInteger(row) && row > 0 ? { row } : {}),
  };
}

export const readPeople = readTexts(...peopleFields) as (given: Record<string, unknown>) => PeopleSearch;
