/** An account's agents and numbers, with ids in the form of each service. They never change for the same settings. */
import { createStream } from './random.ts';
import type { Settings } from './settings.ts';

export type Agent = { id: string; name: string };
export type Line = { id: string; number: string; label: string };

const names = ['Reminder', 'Renewals', 'Survey'] as const;

/** The agents that a list shows. If any id is an agent, three of them stand for all. */
export function agentsOf({ agents }: Settings, idOf: (nth: number) => string): Agent[] {
  const ids = agents === 'any' ? names.map((_, nth) => idOf(nth)) : agents;
  return ids.map((id, nth) => ({ id, name: names[nth] ?? `Agent ${nth + 1}` }));
}

export function isAgent({ agents, unknownAgents }: Settings, id: string): boolean {
  return agents === 'any' ? !unknownAgents.includes(id) : agents.includes(id);
}

export function nameOf(settings: Settings, idOf: (nth: number) => string, id: string): string {
  return agentsOf(settings, idOf).find((agent) => agent.id === id)?.name ?? names[0];
}

/** The numbers. A number given without an id gets one in the service's form. */
export function linesOf({ numbers }: Settings, idOf: (number: string, nth: number) => string): Line[] {
  return numbers.map((number, nth) => {
    const label = `Line ${nth + 1}`;
    if (typeof number === 'string') return { id: idOf(number, nth), number, label };
    return { id: number.id, number: number.phone_number, label: number.label ?? label };
  });
}

/** A UUID derived from these words. */
export function uuidOf(...words: (string | number)[]): string {
  const hex = codeOf('0123456789abcdef', 32, ...words);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `a${hex.slice(17, 20)}`,
    hex.slice(20),
  ].join('-');
}

/** This many of these characters, derived from these words. */
export function codeOf(alphabet: string, length: number, ...words: (string | number)[]): string {
  const random = createStream('code', ...words);
  return Array.from({ length }, () => alphabet[Math.floor(random() * alphabet.length)]).join('');
}

export const lettersAndDigits = '0123456789abcdefghjkmnpqrstvwxyz';

/** The moment since which agents and numbers exist. */
export const since = Date.parse('2025-01-06T09:00:00.000Z');
