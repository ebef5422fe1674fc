import { describe, expect, it } from 'vitest';
import { readCampaignSearch } from '../../dashboard/src/pages/campaign/search.ts';

describe('the address of a campaign', () => {
  it('keeps what the page knows, and drops the rest', () => {
    const known = { tab: 'people', span: '24h', order: 'moved', row: 12, state: 'done' };
    expect(readCampaignSearch({ ...known, row: '12', color: 'red', phone: '' })).toEqual(known);
    expect(readCampaignSearch({ tab: 'x', order: 'up', row: '-3' })).toEqual({});
    expect(readCampaignSearch({ variable: 7 })).toEqual({ variable: '7' });
  });
});
