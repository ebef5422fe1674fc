import { z } from 'zod';
import { faultOf, wellFormed } from '../../../intake/json-values.ts';
import type { AgentShare, Caller } from '../../../rules/order.ts';
import { countryOf, readPhone } from '../../../rules/phone/phone.ts';
import { quote } from '../../../rules/phone/phone-text.ts';
import { text } from '../../requests/input.ts';
import { flags, readNumber, term, wrong } from '../term.ts';

/** The agent that speaks, its settings, the numbers it calls from, and how people's numbers are read. */
const mostAgents = 100;
const mostShare = 10_000;
/** Caller numbers to show; if there are more, the first three are shown. */
const mostTold = 6;
/** The override's length as JSON, in characters: it is read again with each call. */
const longestOverride = 65_536;

export const who = {
  agents: term({
    fields: {
      agent: z.union([text(220), z.array(text(220)).max(mostAgents)]).register(flags, {
        flag: '--agent <id>',
        help: 'the agent that speaks (required); several share the people, as in --agent a=70 --agent b=30',
        many: true,
        form: { kind: 'agents', label: 'Agent', help: 'Several share the people: a=70, b=30.' },
      }),
    },
    read: ({ agent = [] }) => readAgents(typeof agent === 'string' ? [agent] : agent),
    answer: { agent: z.union([z.string(), z.array(z.string())]) },
    show: (agents) => ({ agent: showAgents(agents) }),
    tell(agents) {
      const all = agents.reduce((sum, { share }) => sum + share, 0);
      const parts = agents.map(({ id, share }) => `${id} ${Math.round((share * 1_000) / all) / 10} %`);
      return agents.length > 1 ? `agents ${parts.join(', ')}` : null;
    },
  }),

  callers: term({
    fields: {
      from: z
        .array(text(64))
        .max(1_000)
        .register(flags, {
          flag: '--from <number>',
          help: 'caller number in E.164; several take turns (default: the service chooses)',
          many: true,
          form: { kind: 'callers', label: 'Caller numbers', help: 'They take turns.' },
        }),
      number_ids: z
        .array(text(200))
        .max(1_000)
        .register(flags, {
          flag: '--number-id <id>',
          help: 'caller number by its id at the service; several take turns',
          many: true,
          form: { label: 'Caller numbers by id', help: 'Their ids at the service.', askedBy: 'from' },
        }),
    },
    read: ({ from = [], number_ids = [] }) => readCallers(from, number_ids),
    answer: { from: z.array(z.string()), number_ids: z.array(z.string()) },
    show: (callers) => ({
      from: callers.flatMap((caller) => ('number' in caller ? [caller.number] : [])),
      number_ids: callers.flatMap((caller) => ('numberId' in caller ? [caller.numberId] : [])),
    }),
    tell(callers) {
      const names = callers.map((each) => ('number' in each ? each.number : `number id ${each.numberId}`));
      if (names.length === 0) return 'from the number that the service chooses';
      const others = names.length > mostTold ? ` and ${names.length - 3} more` : '';
      return `from ${(others ? names.slice(0, 3) : names).join(', ')}${others}`;
    },
  }),

  override: term({
    fields: {
      override: z.record(z.string(), z.unknown()).register(flags, {
        flag: '--override <file>',
        help: 'a JSON file of the agent’s settings that each call overrides',
        file: 'json',
        form: {
          label: 'Override, as JSON',
          help: 'The settings of the agent that each call overrides, such as {"language": "en"}. Variables come from the columns of the list.',
        },
      }),
    },
    read: ({ override }) => readOverride(override),
    answer: { override: z.record(z.string(), z.unknown()).nullable() },
    show: (override) => ({ override }),
    tell: (override) => (override ? `overrides ${Object.keys(override).join(', ')}` : null),
  }),

  country: term({
    fields: {
      country: text(100).register(flags, {
        flag: '--country <code>',
        help: 'country of numbers in national form, such as US (default: such numbers are rejected)',
        form: { kind: 'country', label: 'Country of national numbers', help: 'Two letters, such as US.' },
      }),
    },
    read: ({ country }) => readCountry(country),
    answer: { country: z.string().nullable() },
    show: (country) => ({ country }),
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
export function readOverride(given: Record<string, unknown> | undefined): Record<string, unknown> | null {
  if (given === undefined || Object.keys(given).length === 0) return null;
  const fault = faultOf(given);
  const remedy = 'Give a JSON object of the settings that the service lets a call override.';
  if (fault !== null) throw wrong(`The override ${fault}`, remedy);
  const { length } = JSON.stringify(given);
  if (length <= longestOverride) return wellFormed(given);
  throw wrong(`The override has ${length} characters; at most ${longestOverride} are allowed`, remedy);
}

function readCallers(numbers: readonly string[], ids: readonly string[]): Caller[] {
  const found = new Map<string, Caller>();
  for (const given of numbers) {
    const reading = readPhone(given);
    if (!reading.ok) {
      throw wrong(
        `The caller number ${quote(given)} is not a full international number`,
        'Write it with its "+" and country code, for example +14155550123.',
      );
    }
    found.set(reading.phone, { number: reading.phone });
  }
  for (const given of ids) {
    const numberId = given.trim();
    if (!numberId)
      throw wrong('A number id is empty', 'Give the id that the number has at the voice service.');
    found.set(`id ${numberId}`, { numberId });
  }
  return [...found.values()];
}
