import { z } from 'zod';
import { type Actor, roles } from '../../base/actor.ts';

/** The sender of the request, for the page: it shows acts only to those who may do them. */
export const meAnswer = z
  .object({
    name: z
      .string()
      .describe('A token’s name, a provider’s address of a person, or `loopback` where no token is needed.'),
    person: z.string().nullable().describe('Its owner, where one is known.'),
    role: z.enum(roles),
    login: z.boolean().describe('Whether it is a login on the page, which `/logout` ends.'),
  })
  .meta({ id: 'Me' });
export type Me = z.output<typeof meAnswer>;

export function showMe({ name, person, role }: Actor, login: boolean): Me {
  return { name, person, role, login };
}
