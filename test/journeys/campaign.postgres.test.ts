import { campaignJourney } from './campaign.ts';

campaignJourney('postgres');
