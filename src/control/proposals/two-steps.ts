import { createHash, randomUUID } from 'node:crypto';
import { z } from 'zod';
import { currentActor } from '../../base/actor.ts';
import { CarillonError } from '../../base/errors.ts';
import type { Seal } from '../../base/seal.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { canonical } from '../requests/canonical.ts';
import { claim, keptDays, readKeyed } from '../requests/idempotency.ts';
import type { Proposal, Proposed } from './proposal.ts';

/**
 * An act in two steps: the first answers a proposal and a confirmation, the second brings the confirmation and acts,
 * once. The confirmation is sealed and nothing is kept for it, so any process that has the same secret takes it; that
 * it was used is kept in the ledger.
 */
export const confirmMs = 5 * 60_000;

export type TwoStepDeps = {
  ledger: Pick<Ledger, 'idempotency' | 'together'>;
  /** Opened when it is first needed: only an act needs the secret of the installation. */
  seal(): Seal;
  /** The ledger's time: the second step may come to another machine. */
  now(): number;
};

export type TwoSteps<T> = {
  /** The name of the act: a confirmation of one is none of another. */
  name: string;
  /** What was asked for, without the confirmation. */
  asked: unknown;
  confirm: string | undefined;
  propose(): Promise<Proposed>;
  /** `key` is the act's Idempotency-Key. */
  act(key: string): Promise<T>;
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
  const { basis } = await steps.propose();
  if (digestOf(basis) !== given.basis) {
    // The same confirmation may have come at the same time, and its act has changed what it rests on.
    const meanwhile = await recall(deps, steps, request.ref, given.key);
    return meanwhile ?? propose(deps, steps, true);
  }
  // Committed before the act: if this process ends in the middle, nobody acts again.
  await deps.ledger.together(async ({ idempotency }) => {
    await claim(idempotency, request);
    await idempotency.keep(request, { done: false } satisfies Used, keptDays);
  });
  const answer = await steps.act(given.key);
  await deps.ledger.idempotency.keep(request, { done: true } satisfies Used, keptDays);
  return { acted: true, again: false, answer };
}

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

async function propose<T>(
  deps: TwoStepDeps,
  { name, asked, propose: make }: TwoSteps<T>,
  changed: boolean,
): Promise<Stepped<T>> {
  const { proposal, basis } = await make();
  const ends = deps.now() + confirmMs;
  const made: Content = { key: randomUUID(), asked: digestOf(asked), basis: digestOf(basis), ends };
  const confirm = deps.seal().seal(JSON.stringify(made), ownerOf(name));
  return { acted: false, changed, proposal, confirm, valid_until: new Date(ends) };
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
