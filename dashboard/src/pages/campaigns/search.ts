/** The address of the list holds its filters. */
export const campaignStates = ['running', 'paused', 'draft', 'done', 'canceled'] as const;
type CampaignState = (typeof campaignStates)[number];
/** `calls` is for campaigns of single calls; without it, those that call a list. */
export type CampaignsSearch = {
  state?: CampaignState;
  text?: string;
  kind?: 'calls';
  /** The phone that is to be called: `call:+14155550100`. */
  act?: string;
};

export function readCampaignsSearch({ state, text, kind, act }: Record<string, unknown>): CampaignsSearch {
  return {
    ...(kind === 'calls' ? { kind } : {}),
    ...(typeof act === 'string' && act.startsWith('call:') ? { act } : {}),
    ...(campaignStates.includes(state as CampaignState) ? { state: state as CampaignState } : {}),
    ...(text === undefined || text === '' ? {} : { text: String(text) }),
  };
}
