import type { App } from '../app.ts';
import type { Service } from '../control/service.ts';
import type { Stations } from '../dispatch/stations.ts';

/** What the routes stand on. */
export type ApiParts = {
  app: App;
  /** Of the background: its queues are shown, and jobs are added to them. */
  stations: Stations;
  /** The voice service, asked for no longer than somebody waits for an answer. */
  service: Service;
};
