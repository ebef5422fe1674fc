/** The messages between the tabs of one browser and the hub that asks for all of them. */
export type Want = {
  path: string;
  /** Asked for at least this often; null where only events make it old. */
  everyMs: number | null;
  /** An event whose type begins with one of these makes the answer old: `campaign.`, `key.`. */
  on: readonly string[];
};

export type TabMessage =
  | { kind: 'state'; visible: boolean; wants: readonly Want[] }
  | { kind: 'refresh'; path: string | null }
  | { kind: 'alive' }
  | { kind: 'bye' };

export type LiveEvent = { id: string; type: string; at: string; data: Record<string, unknown> };

/**
 * `live`: events arrive. `polling`: the stream cannot be had, and the answers are asked for slowly. `silent`: nothing
 * answers since `okAt`; `failing`: something that is shown is answered with an error since then. `login`: the API wants one.
 */
export type LinkState = 'starting' | 'live' | 'polling' | 'silent' | 'failing' | 'login';
/** What an answer says that is an error. */
export type Fault = { words: string; code: string };
export type Link = { state: LinkState; okAt: number | null; why?: Fault };

export type HubMessage =
  | { kind: 'data'; path: string; body: unknown }
  | {
      kind: 'problem';
      path: string;
      body: Record<string, unknown>;
      status: number;
      retryAfter: number | null;
    }
  | { kind: 'link'; link: Link }
  /** The hub is new and knows no tab. */
  | { kind: 'who' };

export type Port = { post(message: HubMessage): void };
