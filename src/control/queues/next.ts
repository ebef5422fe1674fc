import { z } from 'zod';
import { recipientShape, showRecipient } from '../../export/recipient.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { openPlaces } from '../../rules/calendar/calendar.ts';
import { waitsOn } from '../people/search.ts';
import { timezones, zonesOf } from '../people/show.ts';
import { read } from '../requests/input.ts';
import { wholeOf } from '../requests/page.ts';

/** The people who are taken next when a call may be made, and why each still waits. */
export const nextQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(100).default(20),
});

const nextShape = recipientShape
  .pick({
    id: true,
    campaign: true,
    row: true,
    phone: true,
    name: true,
    state: true,
    reason: true,
    until: true,
    callback_at: true,
    outcome: true,
    attempts: true,
  })
  .extend({ timezones })
  .meta({ id: 'NextPerson' });
export const nextAnswer = wholeOf(nextShape);

const ofEach = 20;

type NextDeps = { ledger: Ledger; baseUrl: string; clock: { now(): number } };

export async function listNext({ ledger, baseUrl, clock }: NextDeps, input: unknown) {
  const { limit } = read(nextQuery, input);
  const ids = await ledger.search.next(
    baseUrl,
    await openNow(ledger, clock.now()),
    Math.min(ofEach, limit),
    limit,
  );
  const lines = await ledger.search.lines(ids);
  const waits = await waitsOn(ledger, lines, clock.now());
  const show = (line: (typeof lines)[number]) =>
    nextShape.parse({ ...showRecipient(line, line.campaign, waits(line)), timezones: zonesOf(line) });
  return { items: lines.map(show), next: null };
}

/** The open places of each campaign that has hours, as the planner sees them. */
async function openNow(ledger: Ledger, now: number): Promise<Record<string, string[]>> {
  await ledger.policies.refresh();
  const windows = await ledger.lanes.windows(null);
  return Object.fromEntries(
    windows.flatMap(({ id, times, places }) => {
      const open = openPlaces(ledger.calendarOf(times), places, now);
      return open ? [[id, open]] : [];
    }),
  );
}
