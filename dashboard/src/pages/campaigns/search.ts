/** What the address of the list says: its filters. */
export const campaignStates = ['running', 'paused', 'draft', 'done', 'canceled'] as const;
export type CampaignState = (typeof campaignStates)[number];
export type CampaignsSearch = { state?: CampaignState; text?: string };

export function readCampaignsSearch({ state, text }: Record<string, unknown>): CampaignsSearch {
  return {
    ...(campaignStates.includes(state as CampaignState) ? { state: state as CampaignState } : {}),
    ...(text === undefined || text === '' ? {} : { text: String(text) }),
  };
}
