/** Shared by the simulator's tests: a clock moved by hand, and a client that shows the raw answer. */

import { onTestFinished } from 'vitest';
import { type Simulator, startSimulator } from '../../simulator/server.ts';
import type { SimulatorOptions } from '../../simulator/settings.ts';
import type { Clock } from '../../src/base/clock.ts';

export type HandClock = Clock & { pass(ms: number): void };

export function createHandClock(start = 1_750_000_000_000): HandClock {
  let passed = 0;
  return {
    now: () => start + passed,
    monotonic: () => passed,
    sleep: () => Promise.resolve(),
    pass(ms) {
      passed += ms;
    },
  };
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape.
export type Answered = { status: number; headers: Headers; text: string; json: any };

export type Client = Simulator & {
  ask(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answered>;
  call(phone: string, more?: Record<string, unknown>): Promise<Answered>;
  look(id: string): Promise<Answered>;
};

/** Starts a simulator that ends with its test, without a rate limit unless the options set one. */
export async function openSimulator(options: SimulatorOptions = {}, clock?: Clock): Promise<Client> {
  const simulator = await startSimulator({ rate: null, ...options }, clock ? { clock } : {});
  onTestFinished(() => simulator.close());
  const ask: Client['ask'] = async (method, path, body, headers = { 'x-api-key': 'secret' }) => {
    const url = path.startsWith('/_sim') ? simulator.origin + path : simulator.url + path;
    const sent: Record<string, string> = { ...headers };
    if (body !== undefined) sent['content-type'] ??= 'application/json';
    const payload = typeof body === 'string' ? body : JSON.stringify(body);
    const response = await fetch(url, {
      method,
      headers: sent,
      redirect: 'manual',
      signal: AbortSignal.timeout(120_000),
      ...(payload !== undefined && { body: payload }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    return { status: response.status, headers: response.headers, text, json: isJson ? tryJson(text) : null };
  };
  return {
    ...simulator,
    ask,
    call: (phone, more = {}) =>
      ask('POST', '/call', { agent_id: 'agent-1', customer: { phone_number: phone }, ...more }),
    look: (id) => ask('GET', `/call/${id}`),
  };
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
