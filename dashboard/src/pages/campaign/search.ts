import { readTexts } from '../../api/search.ts';

/** The address of a campaign's page holds the tab and the filter of its people. */
const campaignTabs = ['overview', 'people', 'order', 'results', 'activity'] as const;
export type CampaignTab = (typeof campaignTabs)[number];

/** As the API takes them. Several states or outcomes are separated by commas. */
const fields = ['state', 'outcome', 'name', 'phone', 'since', 'until', 'key', 'from', 'variable'] as const;
export type PeopleSearch = { [Field in (typeof fields)[number]]?: string };
export type CampaignSearch = PeopleSearch & {
  tab?: CampaignTab;
  span?: string;
  /** The latest call first, or as in the list. */
  order?: 'moved' | 'row';
  row?: number;
  /** The question with which it opens, as the search asks it. */
  act?: 'pause' | 'start';
};

export const readPeople = readTexts(...fields) as (given: Record<string, unknown>) => PeopleSearch;
const readSpan = readTexts('span') as (given: Record<string, unknown>) => { span?: string };

export function readCampaignSearch(given: Record<string, unknown>): CampaignSearch {
  const row = Number(given.row);
  return {
    ...(campaignTabs.includes(given.tab as CampaignTab) ? { tab: given.tab as CampaignTab } : {}),
    ...readSpan(given),
    ...readPeople(given),
    ...(given.act === 'pause' || given.act === 'start' ? { act: given.act } : {}),
    ...(given.order === 'moved' || given.order === 'row' ? { order: given.order } : {}),
    ...(Number.isSafeInteger(row) && row > 0 ? { row } : {}),
  };
}
