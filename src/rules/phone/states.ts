import { areaStates } from './area-states.ts';
import { stateNames } from './state-names.ts';
import { zonesOf, zonesUnder } from './zones.ts';

/** The states of the US and the provinces of Canada: from an area code or a row's cell, and their time zones. */

const nowhere: readonly string[] = Object.freeze([]);
/** A number of the plan that belongs to no area may be in either country. */
const anywhere: readonly string[] = Object.freeze(['CA', 'US']);
/** More zones than this are those of the whole numbering plan, not of one area. */
const mostOfAnArea = 10;

let byArea: Map<string, readonly string[]> | undefined;

/**
 * The states that a number's area code can mean, `US-TX`; both countries only for a number that belongs to no area.
 * Empty outside the US and Canada.
 */
export function statesOf(phone: string): readonly string[] {
  const area = /^\+1(\d{3})/.exec(phone)?.[1];
  if (area === undefined) return nowhere;
  const states = areas().get(area);
  if (states) return states;
  return isWholePlan(zonesOf(phone)) ? anywhere : nowhere;
}

/** Whether zones are those of a whole numbering plan: the number then belongs to no area. */
export function isWholePlan(zones: readonly string[]): boolean {
  return zones.length > mostOfAnArea;
}

const byWord = new Map(
  Object.entries(stateNames).flatMap(([state, name]) => [
    [state.toLowerCase(), state],
    [state.slice(3).toLowerCase(), state],
    [wordOf(name), state],
  ]),
);

/** `TX`, `US-TX` or `Texas`; null for anything else. */
export function readState(text: string): string | null {
  return byWord.get(wordOf(text)) ?? null;
}

const zonesKnown = new Map<string, readonly string[]>();

/** Every time zone of a state, from the numbers of its area codes. */
export function zonesOfState(state: string): readonly string[] {
  const known = zonesKnown.get(state);
  if (known) return known;
  const found = new Set<string>();
  for (const [area, states] of areas()) {
    if (!states.includes(state)) continue;
    for (const zones of zonesUnder(`1${area}`))
      if (!isWholePlan(zones)) for (const zone of zones) found.add(zone);
  }
  const zones = Object.freeze([...found].sort());
  zonesKnown.set(state, zones);
  return zones;
}

function areas(): Map<string, readonly string[]> {
  if (byArea) return byArea;
  byArea = new Map();
  let states: readonly string[] = nowhere;
  for (const word of areaStates.trim().split(/\s+/)) {
    if (/^\d/.test(word)) byArea.set(word, states);
    else states = Object.freeze(word.split('&'));
  }
  return byArea;
}

function wordOf(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replace(/[.\s]+/g, ' ')
    .trim();
}
