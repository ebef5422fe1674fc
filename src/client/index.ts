import { type ClientOptions, createAsk } from './ask.ts';
import { createFollow } from './follow.ts';
import { createNouns } from './nouns.ts';
import { createPeople, createSuppressions } from './people.ts';

/** The API's client: runs in browsers and in Node, without a package. */
export type Carillon = ReturnType<typeof createClient>;

export function createClient(options: ClientOptions) {
  const ask = createAsk(options);
  return {
    ...createNouns(ask),
    people: createPeople(ask),
    suppressions: createSuppressions(ask),
    events: { follow: createFollow(ask) },
    /** Any operation of the API, by its name: `client.ask('GET /api/audit', {})`. */
    ask,
  };
}

export type { ApiErrorCode } from './api-error.ts';
export { CarillonApiError } from './api-error.ts';
export type {
  Ask,
  AskOptions,
  ClientOptions,
  OperationAnswer,
  OperationAsk,
  OperationBody,
  OperationName,
  OperationQuery,
} from './ask.ts';
export type * from './description.ts';
export type {
  CarillonEvent,
  CarillonEventType,
  EventOf,
  FollowedEvents,
  Following,
  FollowOptions,
} from './follow.ts';
export type { Listing, ListingPage } from './nouns.ts';
export type { AttemptResult, CsvText, List, NewPeople, NewPerson, RecipientResult } from './people.ts';
export type { WebhookDelivery } from './webhook.ts';
export { CarillonWebhookError, verifyWebhook } from './webhook.ts';
