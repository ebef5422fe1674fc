import { z } from 'zod';
import type { Caller } from '../../../rules/order.ts';
import { readPhone } from '../../../rules/phone/phone.ts';
import { quote } from '../../../rules/phone/phone-text.ts';
import { text } from '../../input.ts';
import { flags, term, wrong } from '../term.ts';

/** Who speaks, and from which numbers. */
export const who = {
  agentId: term({
    fields: {
      agent: text(200).register(flags, { flag: '--agent <id>', help: 'the agent that speaks (required)' }),
    },
    read({ agent = '' }) {
      if (agent.trim()) return agent.trim();
      throw wrong('The agent’s id is empty', 'Give the id that the agent has at the voice service.');
    },
    show: (agent: string) => ({ agent }),
  }),

  callers: term({
    fields: {
      from: z.array(text(64)).max(1_000).register(flags, {
        flag: '--from <number>',
        help: 'caller number in E.164; several take turns (default: the service chooses)',
        many: true,
      }),
      number_ids: z.array(text(200)).max(1_000).register(flags, {
        flag: '--number-id <id>',
        help: 'caller number by its id at the service; several take turns',
        many: true,
      }),
    },
    read: ({ from = [], number_ids = [] }) => readCallers(from, number_ids),
    show: (callers) => ({
      from: callers.flatMap((caller) => ('number' in caller ? [caller.number] : [])),
      number_ids: callers.flatMap((caller) => ('numberId' in caller ? [caller.numberId] : [])),
    }),
    tell(callers) {
      const names = callers.map((each) => ('number' in each ? each.number : `number id ${each.numberId}`));
      return names.length > 0 ? `from ${names.join(', ')}` : 'from the number that the service chooses';
    },
  }),
};

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

export function callerText(caller: Caller | null): string | null {
  if (!caller) return null;
  return 'number' in caller ? caller.number : caller.numberId;
}
