import { z } from 'zod';
import type { Config } from '../../base/config/config.ts';
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

/** For how long what is known of people is kept: what is older is erased in the background, and cannot come back. */
const days = z
  .int()
  .min(1)
  .max(36_500)
  .nullable()
  .describe('From the end of a person’s row; null is for ever.');

export const keepShape = z.object({
  days,
  from: z
    .enum(['environment', 'ledger'])
    .describe('`environment`: CARILLON_KEEP_DAYS of the process that answers, which no request changes.'),
});

export const keepInput = z.strictObject({
  days,
  dry_run: z.boolean().optional().describe('Only counts the people, and changes nothing.'),
  confirm: z.int().min(0).optional().describe('The number of people that `dry_run` found, or more.'),
});

export const keepAnswer = z
  .object({
    days,
    people: z
      .int()
      .describe('Whose data is older than that and is erased now: 100,000 stands for that many or more.'),
    dry_run: z.boolean(),
  })
  .meta({ id: 'Keep' });
type Keep = z.output<typeof keepAnswer>;

type KeepDeps = { config: Pick<Config, 'keepDays'>; ledger: Ledger };

export const mostCounted = 100_000;

export async function showKeep({ config, ledger }: KeepDeps): Promise<z.output<typeof keepShape>> {
  const { keepDays } = config;
  return keepDays === undefined
    ? { days: await ledger.erasures.keptDays(), from: 'ledger' }
    : { days: keepDays, from: 'environment' };
}

export async function setKeep({ config, ledger }: KeepDeps, body: unknown): Promise<Keep> {
  const { days, dry_run: isTrial = false, confirm } = read(keepInput, body);
  if (config.keepDays !== undefined) throw new CarillonError('keep-in-environment');
  const people = days === null ? 0 : await ledger.erasures.olderThan(days, mostCounted);
  if (isTrial) return { days, people, dry_run: true };
  if (people > (confirm ?? 0)) {
    throw new CarillonError(
      'request-invalid',
      `confirm: what ${people} people said is older and would be erased, but ${confirm ?? 0} were confirmed`,
      { remedy: `Nothing was changed. Send it with "confirm": ${people}, if that is what you want.` },
    );
  }
  await ledger.together(async ({ erasures, activity }) => {
    const before = await erasures.keptDays();
    await erasures.keepFor(days);
    await activity.record({ verb: 'keep.set', before: { days: before }, after: { days } });
  });
  return { days, people, dry_run: false };
}
