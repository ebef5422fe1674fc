/** The simulator's control API, which a real service does not have: reads what happened and changes settings. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { CarillonError } from '../src/base/errors.ts';
import type { JournalFilter } from './journal.ts';
import { checkChange, wrong } from './options.ts';
import { json, type Reply } from './reply.ts';
import { readJson } from './shape.ts';
import { readCalls, readState, type World } from './world.ts';

const limits = ['rate', 'limiter', 'burst', 'windowMs'] as const;

/** Checks the whole change first: if one part is wrong, nothing changes. */
export function applyChange(world: World, change: unknown): void {
  const checked = checkChange(world.settings.service, change);
  const { addCredits, addFaults, revokeKeys = [], restoreKeys = [], ...settings } = checked;
  const find = (name: string, keys: readonly (number | string)[]) =>
    keys.map((key) => {
      const index = world.keys.find(key);
      if (index === null) throw wrong(`${name} names an unknown key`, 'part');
      return index;
    });
  const revoked = find('revokeKeys', revokeKeys);
  const restored = find('restoreKeys', restoreKeys);
  world.settings = { ...world.settings, ...settings };
  if (limits.some((name) => name in settings)) world.resetLimits();
  if (settings.speed !== undefined) world.timescale.setSpeed(settings.speed);
  if (settings.credits !== undefined) world.credits.set(settings.credits);
  if (addCredits !== undefined) world.credits.add(addCredits);
  if (settings.faults) world.faults.set(settings.faults);
  if (addFaults) world.faults.add(addFaults);
  for (const index of revoked) world.keys.revoke(index);
  for (const index of restored) world.keys.restore(index);
}

type Doors = { world(): World; reset(): void; readText(request: IncomingMessage): Promise<string> };

/** Answers requests under /_sim: no key, no limit, no entry in the journal. */
export async function serveControl(
  request: IncomingMessage,
  response: ServerResponse,
  doors: Doors,
): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://simulator');
  const state = () => json(200, readState(doors.world()));
  switch (`${request.method} ${pathname}`) {
    case 'GET /_sim/state':
      return write(response, state());
    case 'GET /_sim/calls':
      return write(response, json(200, [...readCalls(doors.world())]));
    case 'GET /_sim/journal':
      return streamJournal(doors.world(), searchParams, response);
    case 'POST /_sim/reset':
      doors.reset();
      return write(response, state());
    case 'POST /_sim/control':
      try {
        applyChange(doors.world(), readJson(await doors.readText(request)));
      } catch (error) {
        if (error instanceof CarillonError) return write(response, json(422, { error: error.message }));
        throw error;
      }
      return write(response, state());
    default:
      return write(response, json(404, { error: 'not found: use state, journal, calls, control or reset' }));
  }
}

async function streamJournal(world: World, query: URLSearchParams, response: ServerResponse): Promise<void> {
  const filter: JournalFilter = {};
  for (const name of ['since', 'after'] as const) {
    const text = query.get(name);
    if (text === null) continue;
    const value = Number(text);
    if (!Number.isFinite(value)) return write(response, json(422, { error: `${name} is not a number` }));
    filter[name] = value;
  }
  for (const name of ['method', 'path'] as const) {
    const text = query.get(name);
    if (text) filter[name] = text;
  }
  response.writeHead(200, { 'content-type': 'application/x-ndjson' });
  let lines: string[] = [];
  for (const entry of world.journal.entries(filter)) {
    lines.push(`${JSON.stringify(entry)}\n`);
    if (lines.length < 500) continue;
    // Sent in portions: a million lines must not fill the memory or keep other requests waiting.
    const room = response.write(lines.join(''));
    lines = [];
    if (!room) await drained(response);
    if (response.destroyed) return;
  }
  response.end(lines.join(''));
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done);
      response.off('close', done);
      resolve();
    };
    response.on('drain', done);
    response.on('close', done);
  });
}

function write(response: ServerResponse, reply: Reply): void {
  response.writeHead(reply.status, reply.headers);
  response.end(reply.body);
}
