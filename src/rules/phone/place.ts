import { isWholePlan, statesOf, zonesOfState } from './states.ts';
import { zonesOf } from './zones.ts';

/** A person's place as the ledger keeps it: the time zones, then the states, in which the person may be. */

/** `America/Chicago;US-TX`: zones joined with commas, then, if the state matters, the states in the same way. */
type PlaceParts = {
  zones: readonly string[];
  /** `US-TX`; `US` alone stands for a number of that country whose state nobody can tell. */
  states: readonly string[];
};

/** What a row or an order says about where a person is, besides the number. */
type KnownPlace = { zone?: string | undefined; state?: string | undefined };

export function placeOf(phone: string, { zone, state }: KnownPlace = {}): string {
  const states = state === undefined ? statesOf(phone) : [state];
  if (zone !== undefined) return placeText({ zones: [zone], states: statesWith(zone, states) });
  return placeText({ zones: zonesIn(zonesOf(phone), states), states });
}

/** The zones of the number that are in its states; if there are none, all zones of the states. */
function zonesIn(zones: readonly string[], states: readonly string[]): readonly string[] {
  const ofStates = new Set(states.flatMap((state) => zonesOfState(state)));
  if (ofStates.size === 0) return zones;
  const inside = isWholePlan(zones) ? [] : zones.filter((zone) => ofStates.has(zone));
  return inside.length > 0 ? inside : [...ofStates].sort();
}

/** A person's own time zone tells apart the states of an area code; a person who moved away keeps them all. */
function statesWith(zone: string, states: readonly string[]): readonly string[] {
  if (states.length < 2) return states;
  const name = zone.toLowerCase();
  const there = states.filter((state) => zonesOfState(state).some((each) => each.toLowerCase() === name));
  return there.length > 0 ? there : states;
}

export function readPlace(text: string): PlaceParts {
  const at = text.indexOf(';');
  return at < 0
    ? { zones: listed(text), states: [] }
    : { zones: listed(text.slice(0, at)), states: listed(text.slice(at + 1)) };
}

export function placeText({ zones, states }: PlaceParts): string {
  return states.length > 0 ? `${zones.join()};${states.join()}` : zones.join();
}

function listed(text: string): string[] {
  return text ? text.split(',') : [];
}
