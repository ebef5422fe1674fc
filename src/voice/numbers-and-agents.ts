import type { Clock } from '../base/clock.ts';
import type { Caller, CallInput, ListPage, ServiceAgent, ServiceNumber } from './call.ts';
import type { ServiceDescription } from './description.ts';
import type { PageAsk } from './lists.ts';
import { uuid } from './mismatch.ts';
import { isEmpty } from './pointer.ts';
import { fill, type Places, placesIn } from './template.ts';
import { digitsOf } from './values.ts';

/**
 * Some services want another form than the order's: a caller number by its id or its provider, an agent by its id if
 * the order has its name. It is looked up once in the service's lists.
 */
type DirectoryNeed = 'numbers' | 'agents';
type Told = Pick<CallInput, 'agentId' | 'from'>;

export type Directory = {
  /** A list that must be read before this call can be made or asked for; null when nothing is missing. */
  lacks(input: Told): DirectoryNeed | null;
  /** Why the service would refuse this call, as far as that is known before it is asked. */
  missing(input: Told): string | null;
  agentPlaces(agent: string | null | undefined): Places;
  callerPlaces(caller: Caller | null | undefined): Places;
  learnNumbers(page: ListPage<ServiceNumber>, asked: Pick<PageAsk, 'limit'>): void;
  learnAgents(page: ListPage<ServiceAgent>, asked: Pick<PageAsk, 'limit'>): void;
  /** The service does not list them: what is given is sent as it is. */
  giveUp(what: DirectoryNeed): void;
  /** Calls may be made only by its listed agents. */
  readonly agentsAreListed: boolean;
};

/** A missing entry may have been added since: the list is read again after this long. */
const againMs = 60_000;

export function createDirectory(
  service: ServiceDescription,
  clock: Clock,
  settings: Places,
  /** A setting that the list of numbers cannot be read without. */
  unset: string | null,
): Directory {
  const { create, get, numbers: numberList, agents: agentList } = service;
  const used = new Set(
    placesIn([create.path, create.query, create.headers, create.body]).map(({ name }) => name),
  );
  const asksRef =
    used.has('agent.ref') ||
    used.has('agent.listed') ||
    placesIn([get.path, get.query]).some((each) => each.name === 'agent.ref');
  /** The numbers by id, and by digits: lists write a number with a plus or without. */
  const numbers = new Map<string, ServiceNumber>();
  const agents = new Map<string, ServiceAgent>();
  /** Names that several agents have mean none of them. */
  const shared = new Set<string>();
  /** When each list was read to its end. */
  const readAt = { numbers: Number.NEGATIVE_INFINITY, agents: Number.NEGATIVE_INFINITY };
  const isFresh = (what: DirectoryNeed) => clock.monotonic() - readAt[what] < againMs;

  const numberOf = (caller: Caller) =>
    numbers.get('number' in caller ? digitsOf(caller.number) : `id ${caller.numberId}`);
  const wantsNumber = (caller: Caller): boolean =>
    used.has('caller.provider') || used.has('number' in caller ? 'caller.id' : 'caller.phone');
  const agentOf = (agent: string): ServiceAgent | undefined =>
    agents.get(`id ${agent}`) ?? (shared.has(agent) ? undefined : agents.get(agent));
  const isId = (agent: string) => {
    const form = agentList?.ids;
    if (form === undefined) return true;
    return form === 'uuid' ? uuid.test(agent) : agent.startsWith(form.replace('*', ''));
  };

  const directory: Directory = {
    lacks({ agentId, from }) {
      const needsAgent = asksRef || !isId(agentId);
      if (agentList && !isFresh('agents') && needsAgent && !agentOf(agentId)) return 'agents';
      const canList = numberList && unset === null && !isFresh('numbers');
      return canList && from && wantsNumber(from) && !numberOf(from) ? 'numbers' : null;
    },
    missing({ agentId, from }) {
      if (shared.has(agentId) && !agents.has(`id ${agentId}`))
        return `several agents have the name ${agentId}: give the id of one`;
      if (!from || !wantsNumber(from) || !numberList || numberOf(from)) return lackedBy(from);
      const shown = 'number' in from ? from.number : `with the id ${from.numberId}`;
      if (unset !== null)
        return `the caller number ${shown} cannot be looked up without ${unset} in VOICE_PROFILE`;
      return `the caller number ${shown} is not among the account’s phone numbers`;
    },
    agentPlaces(agent) {
      if (isEmpty(agent)) return {};
      const known = agentOf(agent!);
      return {
        agent: known?.id ?? agent,
        'agent.ref': known?.ref,
        'agent.listed': known?.id,
        'agent.unlisted': known ? undefined : agent,
      };
    },
    callerPlaces(caller) {
      if (!caller) return {};
      const known = numberOf(caller);
      const given = 'number' in caller ? { from: caller.number } : { 'from.id': caller.numberId };
      return {
        ...given,
        'caller.phone': 'number' in caller ? caller.number : known?.phone,
        'caller.id': 'numberId' in caller ? caller.numberId : known?.id,
        'caller.provider': known?.provider,
      };
    },
    learnNumbers({ items, next }, { limit }) {
      for (const number of items) {
        numbers.set(`id ${number.id}`, number);
        numbers.set(digitsOf(number.phone), number);
      }
      if (next === null && limit === undefined) readAt.numbers = clock.monotonic();
    },
    agentsAreListed: Boolean(agentList) && !used.has('agent.unlisted'),
    giveUp(what) {
      readAt[what] = clock.monotonic();
    },
    learnAgents({ items, next }, { limit }) {
      for (const agent of items) {
        const { id, name } = agent;
        agents.set(`id ${id}`, agent);
        if (agent.ref !== null) agents.set(`id ${agent.ref}`, agent);
        if (name === null) continue;
        const other = agents.get(name);
        if (other && other.id !== id) shared.add(name);
        agents.set(name, agent);
      }
      if (next === null && limit === undefined) readAt.agents = clock.monotonic();
    },
  };
  return directory;

  /** What the service cannot do without: a caller number, or a setting. */
  function lackedBy(from: Caller | null | undefined): string | null {
    const places: Places = { ...settings, ...directory.callerPlaces(from) };
    const needs = from || !used.has('caller.provider') ? create.needs : ['{caller.provider}'];
    const empty = (needs ?? [])
      .filter((node) => isEmpty(fill(node, places)))
      .flatMap((node) => placesIn(node))
      .find(({ name }) => isEmpty(places[name]));
    if (!empty) return null;
    if (empty.name.startsWith('settings.')) return `the service needs ${empty.name} in VOICE_PROFILE`;
    return 'the service needs a caller number: give --from';
  }
}

/** Some services list a number without its plus. */
export function isCaller({ id, phone }: Pick<ServiceNumber, 'id' | 'phone'>, caller: Caller): boolean {
  return 'number' in caller ? digitsOf(phone) === digitsOf(caller.number) : id === caller.numberId;
}
