import { readChoices } from '../../api/search.ts';

/** The address of the list holds its filters. */
export const campaignStates = ['running', 'paused', 'draft', 'done', 'canceled'] as const;
/** `calls` is for campaigns of single calls; without it, those that call a list. */
/** `act` names the phone that is to be called: `call:+14155550100`. */
export const readCampaignsSearch = readChoices({ state: campaignStates, kind: ['calls'] }, 'text', 'act');
