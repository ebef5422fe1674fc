import { z } from 'zod';
import { CarillonError } from '../../base/errors.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { read } from '../requests/input.ts';

/**
 * The way out when CARILLON_SECRET is lost. The phones of erased people are kept nowhere, so another secret cannot hash
 * them again: either the old secret comes back, or a person gives up knowing who was erased.
 */
export const forgetSecretInput = z.strictObject({
  people: z
    .int()
    .min(1)
    .describe(
      'The number of erased people to forget. A wrong number is refused, so that nobody does this by mistake.',
    ),
});

export const forgottenSecret = z
  .object({
    people: z.int().describe('People who were erased under another secret, and may be called again now.'),
    pending: z
      .int()
      .describe(
        'How many of these were not completely erased: rows whose call had not ended keep their data.',
      ),
    suppressed: z.int().describe('How many of these were also suppressed; those suppressions are lost too.'),
  })
  .meta({ id: 'ForgottenSecret' });
export type ForgottenSecret = z.output<typeof forgottenSecret>;

type ForgetDeps = { ledger: Ledger };

/** The erasures that would be given up. */
export const showForgotten = ({ ledger }: ForgetDeps): Promise<ForgottenSecret> => ledger.erasures.byOther();

export async function forgetSecret({ ledger }: ForgetDeps, body: unknown): Promise<ForgottenSecret> {
  const wanted = read(forgetSecretInput, body);
  const lost = await ledger.together(async ({ erasures, activity }) => {
    const lost = await erasures.byOther();
    if (lost.people !== wanted.people)
      throw new CarillonError(
        'request-invalid',
        `people: ${lost.people} were erased under another secret, not ${wanted.people}`,
        { remedy: 'Nothing was changed. Check again whether this process has the right secret.' },
      );
    await erasures.forgetOther();
    await activity.record({ verb: 'secret.forget', after: lost });
    return lost;
  });
  await ledger.erasures.look();
  return lost;
}
