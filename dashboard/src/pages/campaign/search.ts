import { readChoices, readTexts } from '../../api/search.ts';

/** The address of a campaign's page holds the tab and the filter of its people. */
const fields = ['state', 'outcome', 'name', 'phone', 'since', 'until', 'key', 'from', 'variable'] as const;
/** As the API takes them. Several states or outcomes are separated by commas. */
export const readPeople = readTexts(...fields);
export type PeopleSearch = ReturnType<typeof readPeople>;

const read = readChoices(
  {
    tab: ['overview', 'people', 'order', 'results', 'activity'],
    /** The latest call first, or as in the list. */
    order: ['moved', 'row'],
    /** The question with which it opens, as the search asks it. */
    act: ['pause', 'start'],
  },
  'span',
  ...fields,
);
export type CampaignSearch = ReturnType<typeof read> & { row?: number };

export function readCampaignSearch(given: Record<string, unknown>): CampaignSearch {
  const row = Number(given.row);
  return { ...read(given), ...(Number.isSafeInteger(row) && row > 0 && { row }) };
}
