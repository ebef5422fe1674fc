import { type Clock, systemClock } from '../base/clock.ts';
import type { HttpProxy } from '../base/config/proxy.ts';
import { CarillonError } from '../base/errors.ts';
import type { Dispatch } from '../http/connections.ts';
import type { OpenedBody } from '../http/open-body.ts';
import { addressOf, authOf, readBaseUrl } from './address.ts';
import type {
  Call,
  CallInput,
  CallRef,
  Described,
  ListPage,
  Placed,
  ServiceAgent,
  ServiceNumber,
  Sought,
  Turn,
} from './call.ts';
import type { Meaning, ServiceDescription } from './description.ts';
import { type Fault, unsentFault } from './faults.ts';
import {
  type Found,
  findIn,
  lineOf,
  missingSetting,
  type PageAsk,
  pageOf,
  timePlaces,
  turnPlaces,
} from './lists.ts';
import { repeatSeconds, standard } from './load-service.ts';
import { createDirectory, type Directory } from './numbers-and-agents.ts';
import { normaliseStatus } from './outcomes.ts';
import { overrideFault, personFields } from './person-fields.ts';
import { firstAt } from './pointer.ts';
import { createReader, type OnOutside } from './read-answer.ts';
import { type Answer, createRequests, type Operation, type RequestOptions } from './requests.ts';
import { fill, type Places, type WrittenRequest, writeRequest } from './template.ts';
import { amountOf, digitsOf, ranges } from './values.ts';

export type { PageAsk } from './lists.ts';
export type { Answer, Operation, RequestOptions, SeenExchange } from './requests.ts';
export type { WrittenRequest } from './template.ts';

/** One service behind one key. Every result is a value, faults too, and nothing is ever sent twice. */
export type VoiceClient = Pick<Directory, 'lacks' | 'missing' | 'agentsAreListed'> & {
  create(input: CallInput, options?: RequestOptions): Promise<Answer<Placed>>;
  /** The create with this idempotency key, for `send`; null if the input lacks something. */
  write(input: CallInput, idempotencyKey: string): WrittenRequest | null;
  send(create: WrittenRequest, options?: RequestOptions): Promise<Answer<Placed>>;
  get(call: CallRef, options?: RequestOptions): Promise<Answer<Call>>;
  /** Calls of the service's list that may be the one that is looked for; a page at a time. */
  find(sought: Sought, turn?: Turn | null, options?: RequestOptions): Promise<Answer<ListPage<Found>>>;
  /** Returns the call as the service describes it afterwards, if it does. */
  hangUp(call: CallRef, options?: RequestOptions): Promise<Answer<Call | null>>;
  update(id: string, change: CallChange, options?: RequestOptions): Promise<Answer<Call | null>>;
  /** The lines of the conversation, if a request of its own returns them; a page at a time. */
  transcript(call: CallRef, turn?: Turn | null, options?: RequestOptions): Promise<Answer<ListPage<string>>>;
  numbers(page?: PageAsk, options?: RequestOptions): Promise<Answer<ListPage<ServiceNumber>>>;
  agents(page?: PageAsk, options?: RequestOptions): Promise<Answer<ListPage<ServiceAgent>>>;
  /** How many calls of the account the service counts now, those that came in among them. */
  liveCalls(options?: RequestOptions): Promise<Answer<number>>;
  /** Opens a link of a record, such as a recording, at the service's own address and with the key. */
  open(url: URL, signal?: AbortSignal): Promise<Answer<OpenedBody>>;
  /** One small request that shows whether the key is accepted; returns how many numbers it saw, if they are listed. */
  check(options?: RequestOptions): Promise<Answer<number | null>>;
  /** The create as it would be sent, without the key. */
  describe(input: CallInput): Described;
  readonly can: Readonly<Record<Ability, boolean>>;
  /** How a list of calls is read; null if there is none. */
  readonly listing: Readonly<{ lagSeconds: number; absenceProves: boolean }> | null;
  /** For how many seconds a create may be sent again with its idempotency key; null if never. */
  readonly repeatsFor: number | null;
  /** Only the records of calls tell that an account has no credit. */
  readonly creditOnRecord: boolean;
  /**
   * A conversation's record is whole once it has its transcript, or its recording if the service tells no transcript.
   */
  readonly comesLast: 'transcript' | 'recording_url';
  /** How much faster than real time its calls pass: above 1 only for a simulator, as its last answer said. */
  speed(): number;
  /** Gives its key this secret from now on; false if it had it already. */
  rekey(secret: string): boolean;
  /** Waits for requests in flight, then closes the connections. */
  close(): Promise<void>;
};

type Ability = 'find' | 'hangUp' | 'update' | 'transcript' | 'numbers' | 'agents' | 'liveCalls';
type CallChange = Readonly<{
  status?: string | undefined;
  metadata?: Readonly<Record<string, unknown>> | undefined;
}>;

export type VoiceOptions = Readonly<{
  /** Includes the version prefix, such as `https://voice.example/v1`. */
  baseUrl: string;
  /** The secret. */
  key: string;
  /** The standard interface by default. */
  service?: ServiceDescription | undefined;
  /** Replaces the way in which the service takes its key. */
  auth?: 'bearer' | 'x-api-key' | undefined;
  /** The time limit for the whole of one request. */
  timeoutMs?: number | undefined;
  clock?: Clock | undefined;
  onOutside?: OnOutside | undefined;
  /** Called for every request that left, with the status, or null when none could be read. */
  onAnswer?: ((operation: Operation, status: number | null) => void) | undefined;
  /** The HTTP proxy through which requests go; without it they go directly. */
  proxy?: HttpProxy | null | undefined;
  /** Replaces the client's own connections, and the proxy. It must not send anything twice. */
  dispatcher?: Dispatch | undefined;
}>;

export function createVoiceClient(options: VoiceOptions): VoiceClient {
  const { key, service = standard(), clock = systemClock, proxy = null, dispatcher } = options;
  const { timeoutMs = service.timeout_ms ?? 30_000 } = options;
  const { origin, base } = readBaseUrl(options.baseUrl);
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw new CarillonError(
      'config-invalid',
      'The API key contains a character that is not valid in an HTTP header',
    );
  }
  const auth = authOf(service, options.auth);
  const person = personFields(service.create.body);
  const requests = createRequests({
    service,
    origin,
    base,
    key,
    auth,
    timeoutMs,
    proxy,
    dispatcher,
    person,
    clock,
    onAnswer: options.onAnswer,
  });
  const reader = createReader(service, (path) => origin + base + path, options.onOutside, requests.speed);
  const settings = Object.fromEntries(
    Object.entries(service.settings ?? {}).map(([name, value]) => [`settings.${name}`, value]),
  );
  const unset = missingSetting(service.numbers, settings);
  const directory = createDirectory(service, clock, settings, unset);
  const refused = async <T>(message: string): Promise<Answer<T>> => unsent(unsentFault(message));
  const unsent = <T>(fault: Fault): Answer<T> => ({ ok: false, fault, ms: 0 });
  const placesOf = ({ id, agentId, handle }: CallRef): Places => ({
    ...settings,
    call: id,
    handle,
    ...directory.agentPlaces(agentId),
  });
  const readPlaced = (json: unknown, meaning: Meaning | null) =>
    reader.placed(json, meaning === 'no-room') ?? undefined;
  const readCall = (at: string) => (json: unknown) => reader.call(json, at, clock.now()) ?? undefined;

  const faultOf = (input: CallInput) => directory.missing(input) ?? overrideFault(service, input.override);

  function createPlaces(input: CallInput): Places {
    const { phone, name, variables, override, stamp, campaign, traceparent } = input;
    const filled = (values: typeof variables) => (values && Object.keys(values).length > 0 ? values : null);
    return {
      ...settings,
      phone,
      'phone.digits': digitsOf(phone),
      name,
      variables: filled(variables),
      override: filled(override),
      stamp,
      campaign,
      traceparent,
      ...directory.agentPlaces(input.agentId),
      ...directory.callerPlaces(input.from),
    };
  }

  async function listOf<T>(
    what: 'numbers' | 'agents',
    page: PageAsk,
    read: (item: unknown) => T | null,
    options: RequestOptions | undefined,
  ): Promise<Answer<ListPage<T>>> {
    const form = service[what];
    if (!form) return refused(`the service has no list of its ${what}`);
    if (what === 'numbers' && unset !== null)
      return refused(`its phone numbers cannot be listed without ${unset} in VOICE_PROFILE`);
    const places = { ...settings, ...turnPlaces(form, page) };
    return requests.send(what, form, places, (json) => pageOf(form, page, json, read), options);
  }

  const client: VoiceClient = {
    async create(input, options) {
      const fault = faultOf(input);
      if (fault !== null) return refused(fault);
      return requests.send('create', service.create, createPlaces(input), readPlaced, options);
    },
    write(input, key) {
      const places = { ...createPlaces(input), idempotency_key: key };
      const path = faultOf(input) === null ? requests.pathOf(service.create, places) : null;
      return path === null ? null : writeRequest(service.create, path, places);
    },
    send: (written, options) =>
      requests.send('create', service.create, settings, readPlaced, { ...options, written }),
    get: (call, options) =>
      requests.send('read', service.get, placesOf(call), readCall(service.get.record), options),
    async find(sought, turn = null, options) {
      const { list } = service;
      if (!list) return refused('the service does not list its calls');
      const { stamp, phone, agentId, ...times } = sought;
      const person = { stamp, phone, 'phone.digits': digitsOf(phone), ...directory.agentPlaces(agentId) };
      const places = { ...settings, ...turnPlaces(list, { turn }), ...person, ...timePlaces(times) };
      return requests.send('list', list, places, (json) => findIn(list, turn, json), options);
    },
    async hangUp(call, options) {
      const form = service.hang_up;
      if (!form) return refused('the service has no way to end a call that is in progress');
      const places = placesOf(call);
      const read = form.record === undefined ? () => null : readCall(form.record);
      if (form.path !== '{handle}') return requests.send('update', form, places, read, options);
      const url = addressOf(call.handle, form.hosts ?? [], origin);
      if (typeof url === 'string') return refused(url);
      return requests.send('update', form, places, read, options, { url, sendsKey: form.sends_key === true });
    },
    async update(id, { status, metadata }, options) {
      const form = service.update;
      if (!form) return refused('the service has no way to change a call');
      const cancels = status !== undefined && normaliseStatus(status) === 'canceled';
      const cancel = cancels ? fill(service.hang_up?.body, { ...settings, call: id }) : null;
      const places = { ...settings, call: id, cancel, status: cancel ? null : status, metadata };
      return requests.send('update', form, places, readCall(service.get.record), options);
    },
    async transcript(call, turn = null, options) {
      const form = service.transcript;
      if (!form) return refused('the service has no transcripts apart from its records');
      const places = { ...placesOf(call), ...turnPlaces(form, { turn }) };
      const read = (json: unknown) => pageOf(form, { turn }, json, (said) => lineOf(said, form));
      return requests.send('read', form, places, read, options);
    },
    async numbers(page = {}, options) {
      const answer = await listOf('numbers', page, reader.number, options);
      if (answer.ok) directory.learnNumbers(answer.value, page);
      else if (answer.fault.kind === 'refused') directory.giveUp('numbers');
      return answer;
    },
    async agents(page = {}, options) {
      const answer = await listOf('agents', page, reader.agent, options);
      if (answer.ok) directory.learnAgents(answer.value, page);
      else if (answer.fault.kind === 'refused') directory.giveUp('agents');
      return answer;
    },
    async liveCalls(options) {
      const form = service.live_calls;
      if (!form) return refused('the service does not tell how many calls are in progress');
      const read = (json: unknown) => amountOf(firstAt(json, form.count), ranges.calls) ?? undefined;
      return requests.send('list', form, settings, read, options);
    },
    async check(options) {
      if (client.can.numbers) {
        const answer = await client.numbers({ limit: 1 }, options);
        return answer.ok ? { ...answer, value: answer.value.items.length } : answer;
      }
      const answer = await client.agents({ limit: 1 }, options);
      return answer.ok ? { ...answer, value: null } : answer;
    },
    open: requests.open,
    lacks: directory.lacks,
    missing: directory.missing,
    describe(input) {
      const places = createPlaces(input);
      const path = requests.pathOf(service.create, places) ?? `${base}${service.create.path}`;
      return {
        method: service.create.method,
        url: origin + path,
        body: fill(service.create.body, places) ?? {},
      };
    },
    can: {
      find: Boolean(service.list),
      hangUp: Boolean(service.hang_up),
      update: Boolean(service.update),
      transcript: Boolean(service.transcript),
      numbers: Boolean(service.numbers) && unset === null,
      agents: Boolean(service.agents),
      liveCalls: Boolean(service.live_calls),
    },
    agentsAreListed: directory.agentsAreListed,
    listing: service.list
      ? { lagSeconds: service.list.lag_seconds, absenceProves: service.list.absence_proves }
      : null,
    comesLast:
      service.get.fields.recording_url && !service.get.fields.transcript ? 'recording_url' : 'transcript',
    repeatsFor: repeatSeconds(service),
    creditOnRecord: service.get.rules.some(({ is }) => is === 'no-credit'),
    speed: requests.speed,
    rekey: requests.rekey,
    close: () => requests.close(),
  };
  return client;
}
