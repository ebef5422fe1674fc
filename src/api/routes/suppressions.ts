import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { CarillonError } from '../../base/errors.ts';
import { country, limit, read, readCursor, text, writeCursor } from '../../control/input.ts';
import { readPhone } from '../../rules/phone/phone.ts';
import type { ApiParts } from '../parts.ts';

/** People who must not be called: it acts at once, on every campaign. */
const phones = z.array(text(64)).min(1).max(10_000);
const added = z.strictObject({ phones, reason: text(500).optional(), country: country.optional() });
const removed = z.strictObject({ phones, country: country.optional() });
const listQuery = z.strictObject({ limit, cursor: z.string().max(500).optional() });

export function addSuppressions(server: FastifyInstance, { app }: ApiParts): void {
  const { people } = app.ledger;

  server.get('/api/suppressions', async (request) => {
    const query = read(listQuery, request.query);
    const after = readCursor(z.tuple([z.string().max(20)]), query.cursor);
    const found = await people.suppressions(after?.[0] ?? '', query.limit + 1);
    const items = found.slice(0, query.limit);
    const next = found.length > items.length ? writeCursor([items.at(-1)!.phone]) : null;
    return {
      items: items.map(({ phone, reason, createdAt }) => ({ phone, reason, created_at: createdAt })),
      next,
    };
  });

  server.post('/api/suppressions', async (request) => {
    const body = read(added, request.body);
    return people.suppress(readPhones(body.phones, body.country), body.reason ?? null);
  });

  server.delete('/api/suppressions', async (request) => {
    const body = read(removed, request.body);
    return { removed: await people.unsuppress(readPhones(body.phones, body.country)) };
  });
}

/** All or none: a list in which one is wrong was not meant as it stands. */
function readPhones(texts: string[], where: string | undefined): string[] {
  const numbers = texts.map((given, at) => {
    const reading = readPhone(given, where);
    if (!reading.ok) throw new CarillonError('request-invalid', `phones.${at}: ${reading.reason}`);
    return reading.phone;
  });
  return [...new Set(numbers)];
}
