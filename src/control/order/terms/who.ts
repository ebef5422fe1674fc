import { z } from 'zod';
import { faultOf, wellFormed } from '../../../intake/json-values.ts';
import type { AgentShare } from '../../../rules/order.ts';
import { countryOf } from '../../../rules/phone/phone.ts';
import { quote } from '../../../rules/phone/phone-text.ts';
import { text } from '../../requests/input.ts';
import { field, readNumber, wrong } from '../term.ts';
import { callerNumbers } from './caller-numbers.ts';

/** The agent that speaks, its settings, the numbers it calls from, and how people's numbers are read. */
const mostAgents = 100;
const mostShare = 10_000;
/** The override's length as JSON, in characters: it is read again with each call. */
const longestOverride = 65_536;

export const who = {
  agents: field('agent', z.union([text(220), z.array(text(220)).max(mostAgents)]), {
    flag: '--agent <id>',
    help: 'the agent that speaks (required); several share the people, as in --agent a=70 --agent b=30',
    many: true,
    form: { kind: 'agents', label: 'Agent', help: 'Several share the people: a=70, b=30.' },
    read: (agent = []) => readAgents(typeof agent === 'string' ? [agent] : agent),
    answer: z.union([z.string(), z.array(z.string())]),
    show: (agents) => showAgents(agents),
    tell(agents) {
      const all = agents.reduce((sum, { share }) => sum + share, 0);
      const parts = agents.map(({ id, share }) => `${id} ${Math.round((share * 1_000) / all) / 10} %`);
      return agents.length > 1 ? `agents ${parts.join(', ')}` : null;
    },
  }),

  ...callerNumbers,

  override: field('override', z.record(z.string(), z.unknown()), {
    flag: '--override <file>',
    help: 'a JSON file of the agent’s settings that each call overrides',
    file: 'json',
    form: {
      label: 'Override, as JSON',
      help: 'The settings of the agent that each call overrides, such as {"language": "en"}. Variables come from the columns of the list.',
    },
    read: (override) => readOverride(override),
    answer: z.record(z.string(), z.unknown()).nullable(),
    tell: (override) => (override ? `overrides ${Object.keys(override).join(', ')}` : null),
  }),

  country: field('country', text(100), {
    flag: '--country <code>',
    help: 'country of numbers in national form, such as US (default: such numbers are rejected)',
    form: { kind: 'country', label: 'Country of national numbers', help: 'Two letters, such as US.' },
    read: (country) => readCountry(country),
    answer: z.string().nullable(),
    tell: (country) => (country ? `numbers in national form are of ${country}` : null),
  }),
};

/** `ID=SHARE` or only `ID`; an id that itself ends like a share is written with one. */
function readAgents(given: readonly string[]): AgentShare[] {
  const agents = given.map((entry): AgentShare => {
    const [, id = entry, share = '1'] = /^(.*)=(\d+)$/.exec(entry.trim()) ?? [];
    return { id: id.trim(), share: readNumber(`share of the agent ${quote(id)}`, share, mostShare)! };
  });
  const [first, ...others] = agents;
  if (!first || agents.some(({ id }) => !id))
    throw wrong('The agent’s id is empty', 'Give the id that the agent has at the voice service.');
  const twice = agents.find(({ id }, at) => agents.findIndex((each) => each.id === id) < at);
  if (twice) throw wrong(`The agent ${quote(twice.id)} is named twice`, 'Name each once, with its share.');
  return others.length === 0 ? [{ ...first, share: 1 }] : agents;
}

function showAgents(agents: readonly AgentShare[]): string | string[] {
  const [first, ...others] = agents;
  if (others.length === 0 && !/=\d+$/.test(first!.id)) return first!.id;
  return agents.map(({ id, share }) => `${id}=${share}`);
}

function readCountry(given: string | undefined): string | null {
  if (given === undefined) return null;
  const country = countryOf(given);
  if (country) return country;
  throw wrong(
    `${quote(given)} is not a country code`,
    'Use a two-letter ISO 3166 code, for example US, GB or DE.',
  );
}

/** Null and an empty object override nothing. */
function readOverride(given: Record<string, unknown> | undefined): Record<string, unknown> | null {
  if (given === undefined || Object.keys(given).length === 0) return null;
  const fault = faultOf(given);
  const remedy = 'Give a JSON object of the settings that the service lets a call override.';
  if (fault !== null) throw wrong(`The override ${fault}`, remedy);
  const { length } = JSON.stringify(given);
  if (length <= longestOverride) return wellFormed(given);
  throw wrong(`The override has ${length} characters; at most ${longestOverride} are allowed`, remedy);
}
