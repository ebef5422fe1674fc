import { describe } from 'vitest';
import { canUseRedis } from '../support/redis.ts';
import { campaignJourney } from './campaign.ts';

describe.skipIf(!canUseRedis('the journeys on the Redis engine'))('with a Redis', () =>
  campaignJourney('redis'),
);
