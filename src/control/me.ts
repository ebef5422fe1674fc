import { z } from 'zod';
import { type Actor, roles } from '../base/actor.ts';

/** The one who asks, as the page needs it: it shows acts to those who may act. */
export const meAnswer = z
  .object({
    name: z.string().describe('A token’s name, or `loopback` where no token is needed.'),
    role: z.enum(roles),
    login: z.boolean().describe('Whether it is a login on the page, which `/logout` ends.'),
  })
  .meta({ id: 'Me' });
export type Me = z.output<typeof meAnswer>;

export function showMe({ name, role }: Actor, login: boolean): Me {
  return { name, role, login };
}
