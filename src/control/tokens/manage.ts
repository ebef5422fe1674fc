import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { type Actor, currentActor, reservedNames, roles } from '../../base/actor.ts';
import type { Config } from '../../base/config/config.ts';
import { CarillonError } from '../../base/errors.ts';
import { createSeal } from '../../base/seal.ts';
import { readSecret } from '../../base/secret.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { TokenRow } from '../../ledger/tokens/tokens.ts';
import { readUntil } from '../../rules/time/instant.ts';
import { claim, keptDays, type Once, once, readKeyed } from '../requests/idempotency.ts';
import { read, text } from '../requests/input.ts';
import { type Page, pageInput, pageOf, readPage } from '../requests/page.ts';
import { shownAs } from '../requests/shown.ts';

/** Named tokens: made, listed and revoked by an admin. A token is shown once, when it is made. */
export const tokenInput = z.strictObject({
  name: text(100).refine(
    (name) => !reservedNames.some((each) => each === name),
    'stands for something else in the activity',
  ),
  person: text(100).optional().describe('Its owner, as the activity shows it; by default the token’s name.'),
  role: z.enum(roles),
  ends: text(100).optional().describe('A time, a date, or a span such as `90d`; without it, never.'),
});
export const tokensQuery = z.strictObject(pageInput);

const tokenParts = {
  id: z.uuid(),
  name: z.string(),
  person: z.string().nullable().describe('Its owner; null where none was told.'),
  role: z.enum(roles),
  made_by: z.string().describe('The token that made it, or `cli`.'),
  made_at: z.date(),
  ends_at: z.date().nullable().describe('Null is never.'),
  used_at: z.date().nullable().describe('Its last use, to about a minute.'),
};
export const shownToken = z.object(tokenParts).meta({ id: 'Token' });
export const madeToken = z.object({
  ...tokenParts,
  token: z.string().describe('The token itself; it is not shown again.'),
});
export const tokensAnswer = pageOf(shownToken);

export type ShownToken = z.output<typeof shownToken>;
type MadeToken = z.output<typeof madeToken>;
type TokenDeps = { ledger: Ledger; clock: { now(): number } };
/** The Idempotency-Key of a request, and what seals the token for a repeat of it. */
type TokenRequest = { key: unknown; config: Pick<Config, 'secret' | 'home'> };
type TokenMade = { token: string; sealed: string };

export async function createToken(
  { ledger, clock }: TokenDeps,
  body: unknown,
  { key, config }: Partial<TokenRequest> = {},
): Promise<Once<MadeToken>> {
  const { name, person = null, role, ends } = read(tokenInput, body);
  const request = readKeyed(['token'], key, { name, person, role, ends });
  const seal = request && createSeal(readSecret(config!));
  return once<MadeToken, TokenMade>(ledger, request, {
    async again({ token: id, sealed }) {
      const row = await ledger.tokens.byId(id);
      return row && { ...show(row), token: seal!.open(sealed, id) };
    },
    async act() {
      const endsAt = ends === undefined ? null : readEnd(ends, clock.now());
      const token = prefix + randomBytes(32).toString('base64url');
      const madeBy = currentActor().name;
      const made = await ledger.together(async ({ tokens, activity, idempotency }) => {
        await claim(idempotency, request);
        const row = await tokens.add({ name, person, role, endsAt, madeBy, digest: digestOfToken(token) });
        if (!row) throw new CarillonError('token-exists', `A token named ${name} already exists`);
        await activity.record({ verb: 'token.create', subject: row.id, after: partsOf(row) });
        const kept = { token: row.id, sealed: seal?.seal(token, row.id) ?? '' } satisfies TokenMade;
        if (request) await idempotency.keep(request, kept, keptDays);
        return row;
      });
      return { ...show(made), token };
    },
  });
}

/** Ordered by name; expired tokens are on it too. */
export async function listTokens(ledger: Ledger, input: unknown): Promise<Page<ShownToken>> {
  return readPage(
    read(tokensQuery, input),
    { schema: z.tuple([text(100)]), of: ({ name }: TokenRow) => [name] },
    (after, most) => ledger.tokens.page(after?.[0] ?? '', most),
    show,
  );
}

/** It stops working in every process within seconds. */
export async function revokeToken(ledger: Ledger, idOrName: string): Promise<ShownToken> {
  return ledger.together(async ({ tokens, activity }) => {
    const row = await tokens.remove(idOrName);
    if (!row) throw new CarillonError('token-unknown', `The token ${idOrName} was not found`);
    await activity.record({ verb: 'token.revoke', subject: row.id, before: partsOf(row) });
    return show(row);
  });
}

const show = (row: TokenRow): ShownToken => shownAs(shownToken, row, {});

function partsOf({ name, person, role, endsAt }: TokenRow) {
  return { name, person, role, ends_at: endsAt };
}

function readEnd(given: string, now: number): Date {
  const at = readUntil(given, now);
  if (at === null) {
    throw new CarillonError('request-invalid', `The end "${given}" is neither a time nor a span`, {
      remedy: 'Give a time such as 2027-03-31T18:00:00Z, a date, or a span such as 90d.',
    });
  }
  if (at > now) return new Date(at);
  throw new CarillonError('request-invalid', `The end "${given}" has passed`, {
    remedy: 'Give a time in the future, or leave it out for ever.',
  });
}

/** Recognisable, so that scanners find a token that was committed by mistake. */
const prefix = 'car_';
const form = /^car_[\w-]{43}$/;

export function isTokenForm(text: string): boolean {
  return form.test(text);
}

export function digestOfToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

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
