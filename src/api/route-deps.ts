import type { App } from '../app.ts';
import type { KeptLists } from '../control/lists/sent.ts';
import type { ServiceAccess } from '../control/service/access.ts';
import type { Stations } from '../dispatch/stations.ts';
import type { Feed } from './events/feed.ts';

/** The parts that the routes need. */
export type ApiParts = {
  app: App;
  /** The background's engine: its queues are shown, and jobs are added to them. */
  stations: Pick<Stations, 'lanes' | 'queues'>;
  /** The voice service, with the short patience of someone who waits for an answer. */
  service: ServiceAccess;
  /** Everyone who follows the events through this process. */
  feed: Feed;
  /** Lists that were sent for a preview. */
  lists: KeptLists;
};
