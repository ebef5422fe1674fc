/** A person's place as the ledger keeps it: the time zones, then the states, in which the person may be. */

/** `America/Chicago;US-TX`: zones joined with commas, then, where the state matters, the states in the same way. */
export type PlaceParts = {
  zones: readonly string[];
  /** `US-TX`; `US` only is a number of that country whose state nobody can tell. */
  states: readonly string[];
};

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
