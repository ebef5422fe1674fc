import { createHash, randomUUID } from 'node:crypto';
import { z } from 'zod';
import { currentActor } from '../../base/actor.ts';
import { CarillonError } from '../../base/errors.ts';
import type { Seal } from '../../base/seal.ts';
import type { KeyedRequest } from '../../ledger/idempotency/idempotency.ts';
import type { Ledger, Together } from '../../ledger/ledger.ts';
import { canonical, keptDays, readKeyed } from '../requests/idempotency.ts';
import type { Proposal } from './proposal.ts';

/**
 * An act in two steps: the first answers a proposal and a confirmation, the second brings the confirmation and acts,
 * once. The confirmation is sealed, so any process that has the same secret takes it; that it was used is kept in the
 * ledger.
 */
export const confirmMs = 5 * 60_000;

type TwoStepDeps = {
  ledger: Together & Pick<Ledger, 'together'>;
  /** Opened when it is first needed: only an act needs the secret of the installation. */
  seal(): Seal;
  /** The ledger's time: the second step may come to another machine. */
  now(): number;
};

/**
 * Uses the confirmation, in the transaction that acts: nothing that the act rests on can change between this and the
 * act. It throws where something has changed.
 */
export type Still = (verbs: Together) => Promise<void>;

export type TwoSteps<T> = {
  /** The name of the act: a confirmation of one is none of another. */
  name: string;
  /** What was asked for, without the confirmation. */
  asked: unknown;
  confirm: string | undefined;
  /** What the act is done to, such as a campaign's id: once it was done there, it is proposed again. */
  about(): Promise<string>;
  /** What the act rests on: if that has changed, the act is another one, and is proposed again. */
  basis(verbs: Together): Promise<unknown>;
  propose(): Promise<Proposal>;
  /** `key` is the act's Idempotency-Key. */
  act(key: string, still: Still): Promise<T>;
  /** Answers a repeat of what was done, and changes nothing. */
  again(key: string): Promise<T>;
};

export type Stepped<T> =
  | { acted: false; changed: boolean; proposal: Proposal; confirm: string; valid_until: Date }
  | { acted: true; again: boolean; answer: T };

/** The content of a confirmation. It holds digests only. */
const content = z.object({ key: z.string(), asked: z.string(), basis: z.string(), ends: z.number() });
type Content = z.output<typeof content>;
type Used = { done: boolean };
/** The key of the last confirmation that was used about one thing. */
type Last = { key: string };

export async function actInTwoSteps<T>(deps: TwoStepDeps, steps: TwoSteps<T>): Promise<Stepped<T>> {
  const { name, asked, confirm } = steps;
  if (confirm === undefined) return propose(deps, steps, false);
  const given = openConfirmation(deps, name, confirm);
  if (given.asked !== digestOf(asked)) {
    throw refused('confirm: was given for other arguments', 'Send the same arguments as at the first call.');
  }
  const request = readKeyed(['two-steps', name], given.key, asked)!;
  const before = await recall(deps, steps, request.ref, given.key);
  if (before) return before;
  if (given.ends <= deps.now()) {
    throw refused('confirm: has expired, five minutes after it was given', askAgain);
  }
  const about = await lastOf(steps);
  // Kept with the act: if this process ends in the middle, nobody acts again.
  const still: Still = async (verbs) => {
    const { idempotency } = verbs;
    for (const { ref } of [request, about]) {
      const found = await idempotency.claim(ref);
      if (found === 'busy') throw new CarillonError('request-in-progress');
      if (found === 'known' && ref === request.ref) throw new Changed();
    }
    if ((await basisOf(verbs, steps, about)) !== given.basis) throw new Changed();
    await idempotency.keep(request, { done: false } satisfies Used, keptDays);
    await idempotency.keep(about, { key: given.key } satisfies Last, keptDays);
  };
  try {
    const answer = await steps.act(given.key, still);
    await deps.ledger.idempotency.keep(request, { done: true } satisfies Used, keptDays);
    return { acted: true, again: false, answer };
  } catch (thrown) {
    if (!(thrown instanceof Changed)) throw thrown;
    // The same confirmation may have come at the same time, and its act has changed what it rests on.
    return (await recall(deps, steps, request.ref, given.key)) ?? propose(deps, steps, true);
  }
}

/** The world is not as it was proposed, or the confirmation has just been used. */
class Changed extends Error {}

/** What was done with a confirmation that was used before. */
async function recall<T>(
  { ledger }: TwoStepDeps,
  { again }: TwoSteps<T>,
  ref: string,
  key: string,
): Promise<Stepped<T> | null> {
  const used = await ledger.idempotency.find(ref);
  if (!used) return null;
  if (!(used.made as Used).done) throw unended();
  return { acted: true, again: true, answer: await again(key) };
}

async function propose<T>(deps: TwoStepDeps, steps: TwoSteps<T>, changed: boolean): Promise<Stepped<T>> {
  const { name, asked } = steps;
  // Read before what is shown: a change in between makes the confirmation worthless, and is never confirmed unseen.
  const basis = await basisOf(deps.ledger, steps, await lastOf(steps));
  const proposal = await steps.propose();
  const ends = deps.now() + confirmMs;
  const made: Content = { key: randomUUID(), asked: digestOf(asked), basis, ends };
  const confirm = deps.seal().seal(JSON.stringify(made), ownerOf(name));
  return { acted: false, changed, proposal, confirm, valid_until: new Date(ends) };
}

/** Under which the last use of a confirmation is kept, whoever used it. */
async function lastOf({ name, about }: Pick<TwoSteps<unknown>, 'name' | 'about'>): Promise<KeyedRequest> {
  return { ref: digestOf(['two-steps', name, await about()]), asked: name };
}

async function basisOf(
  verbs: Together,
  { basis }: Pick<TwoSteps<unknown>, 'basis'>,
  { ref }: KeyedRequest,
): Promise<string> {
  const last = await verbs.idempotency.find(ref);
  return digestOf([await basis(verbs), (last?.made as Last | undefined)?.key]);
}

function openConfirmation({ seal }: TwoStepDeps, name: string, confirm: string): Content {
  try {
    return content.parse(JSON.parse(seal().open(confirm, ownerOf(name))));
  } catch (cause) {
    throw new CarillonError('request-invalid', 'confirm: was not given to you by this tool', {
      remedy: askAgain,
      cause,
    });
  }
}

/** A confirmation belongs to one act, and to one token or login. */
function ownerOf(name: string): string {
  const { name: who, token, role } = currentActor();
  return canonical(['two-steps', name, who, token, role]);
}

function digestOf(value: unknown): string {
  // Dates and what is left out become as JSON has them.
  const plain = JSON.parse(JSON.stringify(value ?? null)) as unknown;
  return createHash('sha256').update(canonical(plain)).digest('base64url');
}

const askAgain = 'Call it without `confirm` to see what it would do now.';

function unended(): CarillonError {
  return new CarillonError(
    'request-in-progress',
    'The act began with this confirmation, and nothing says that it has ended',
    { remedy: `Look at what it changed first. ${askAgain}` },
  );
}

function refused(message: string, remedy: string): CarillonError {
  return new CarillonError('request-invalid', message, { remedy: `Nothing was done. ${remedy}` });
}
