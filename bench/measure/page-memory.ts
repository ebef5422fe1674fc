import { setTimeout as sleep } from 'node:timers/promises';
import type { BrowserContext, CDPSession, Page } from 'playwright-core';
import { findBrowser } from '../support/browser.ts';
import { keep, say } from '../support/report.ts';
import { openStage } from '../support/stage.ts';
import { openUp, type Up } from '../support/up.ts';

/**
 * Whether a page that is left open grows: the overview, a campaign and the unknown calls stay open while a list is
 * dialled, and the page's own clock runs so fast that hours pass in minutes. Requests are made, events arrive and
 * charts are drawn as in those hours.
 */
export type PageMemoryOptions = { hours: number; seconds: number; rate: number };

type Sample = { hour: number; heapMb: number; nodes: number; listeners: number };
type Watched = { name: string; page: Page; devtools: CDPSession; samples: Sample[] };

const name = 'all day';
const samples = 17;
/** How often the page requests the list of campaigns. */
const beatSeconds = 2;

export async function measurePageMemory(options: PageMemoryOptions, signal: AbortSignal): Promise<void> {
  const { hours, seconds, rate } = options;
  const launch = findBrowser();
  const stage = await openStage([], false);
  const browser = await launch();
  try {
    const up = await openUp(stage, signal, rate);
    try {
      const id = await begin(up, Math.ceil(rate * seconds));
      const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
      await hurry(context, (hours * 3_600) / seconds);
      const traffic = { requests: 0, beats: 0, messages: 0 };
      const url = `http://127.0.0.1:${up.port}`;
      const watched = [
        await open(context, 'overview', url, traffic),
        await open(context, 'campaign', `${url}/campaigns/${id}`, traffic),
        // This page follows every call, so the stream always has something for it.
        await open(context, 'unknown', `${url}/unknown`, traffic),
      ];
      for (let nth = 0; nth < samples; nth++) {
        if (nth > 0) await sleep((seconds * 1_000) / (samples - 1), undefined, { signal });
        for (const each of watched) each.samples.push(await look(each, (nth * hours) / (samples - 1)));
        say(
          `${watched.map(lineOf).join('   ')}   ${traffic.requests} answers, ${traffic.messages} pieces of the stream`,
        );
      }
      const { balance, requests } = (await up.get(`/api/campaigns/${id}`)) as {
        balance: { done: number };
        requests: unknown;
      };
      const hoursOfBeats = (traffic.beats * beatSeconds) / 3_600;
      say(
        `${traffic.requests} answers and ${traffic.messages} pieces of the stream were read, the list of campaigns ${traffic.beats} times: as in ${hoursOfBeats.toFixed(1)} hours; ${balance.done} people were called meanwhile`,
      );
      for (const { name: what, samples: found } of watched) say(`${what}: ${wordsOf(found)}`);
      const found = watched.map(({ name: what, samples: of }) => ({ what, samples: of, slope: slopeOf(of) }));
      keep('page-memory', { ...options, traffic, hoursOfBeats, called: balance.done, requests, found });
    } finally {
      await up.close();
    }
  } finally {
    await browser.close();
    await stage.close();
  }
}

async function begin(up: Up, rows: number): Promise<string> {
  const recipients = Array.from({ length: rows }, (_, nth) => ({
    phone: `+1415${5_550_000 + nth}`,
    name: `Person ${nth}`,
  }));
  const made = await up.post(
    '/api/campaigns',
    JSON.stringify({ name, agent: 'agent_bench', max_attempts: 1 }),
  );
  for (let from = 0; from < rows; from += 5_000) {
    await up.post(
      `/api/campaigns/${encodeURIComponent(name)}/recipients`,
      JSON.stringify(recipients.slice(from, from + 5_000)),
    );
  }
  await up.post(`/api/campaigns/${encodeURIComponent(name)}/start`);
  return (made as { id: string }).id;
}

/** Makes the tab's own clock run faster. The hub then runs in a tab too, with the same clock. */
async function hurry(context: BrowserContext, factor: number): Promise<void> {
  await context.addInitScript(`(() => {
    delete globalThis.SharedWorker;
    const began = Date.now(), zero = performance.now();
    const RealDate = Date, now = performance.now.bind(performance);
    const fast = () => began + (now() - zero) * ${factor};
    globalThis.Date = class extends RealDate {
      constructor(...given) { if (given.length === 0) super(fast()); else super(...given); }
      static now() { return fast(); }
    };
    // The silence after which a stream is given up is the server's: its heartbeats do not hurry.
    const scaled = (ms) => (ms === 40000 ? ms : (ms ?? 0) / ${factor});
    const { setTimeout: later, setInterval: often } = globalThis;
    globalThis.setTimeout = (act, ms, ...rest) => later(act, scaled(ms), ...rest);
    globalThis.setInterval = (act, ms, ...rest) => often(act, scaled(ms), ...rest);
  })()`);
}

type Traffic = { requests: number; beats: number; messages: number };

async function open(context: BrowserContext, what: string, url: string, traffic: Traffic): Promise<Watched> {
  const page = await context.newPage();
  page.on('response', (response) => {
    const { pathname, search } = new URL(response.url());
    if (!pathname.startsWith('/api/')) return;
    traffic.requests += 1;
    if (pathname === '/api/campaigns' && search.includes('running')) traffic.beats += 1;
  });
  page.on('pageerror', (error) => process.stderr.write(`${what}: ${error.message}\n`));
  const devtools = await context.newCDPSession(page);
  await countMessages(devtools, traffic);
  await page.goto(url);
  await page
    .getByText(what === 'unknown' ? 'Unknown' : name)
    .first()
    .waitFor();
  return { name: what, page, devtools, samples: [] };
}

/** Each piece has the events of one moment, or a heartbeat. */
async function countMessages(devtools: CDPSession, traffic: Traffic): Promise<void> {
  const streams = new Set<string>();
  devtools.on('Network.requestWillBeSent', ({ requestId, request }) => {
    if (new URL(request.url).pathname === '/api/events') streams.add(requestId);
  });
  devtools.on('Network.dataReceived', ({ requestId }) => {
    if (streams.has(requestId)) traffic.messages += 1;
  });
  await devtools.send('Network.enable');
}

/** The memory that is left after a garbage collection. */
async function look({ devtools }: Watched, hour: number): Promise<Sample> {
  await devtools.send('HeapProfiler.collectGarbage');
  await devtools.send('HeapProfiler.collectGarbage');
  const { usedSize } = await devtools.send('Runtime.getHeapUsage');
  const { nodes, jsEventListeners } = await devtools.send('Memory.getDOMCounters');
  return { hour, heapMb: usedSize / 2 ** 20, nodes, listeners: jsEventListeners };
}

function lineOf({ name: what, samples: found }: Watched): string {
  const { hour, heapMb, nodes, listeners } = found.at(-1)!;
  return `${hour.toFixed(1)} h ${what} ${heapMb.toFixed(1)} MB ${nodes} nodes ${listeners} listeners`;
}

/** Growth in MB per hour over the second half, by least squares: the first half fills what is kept on purpose. */
function slopeOf(found: readonly Sample[]): number {
  const half = found.slice(Math.floor(found.length / 2));
  const mean = (of: (sample: Sample) => number) =>
    half.reduce((sum, each) => sum + of(each), 0) / half.length;
  const [hour, heap] = [mean((each) => each.hour), mean((each) => each.heapMb)];
  const over = half.reduce((sum, each) => sum + (each.hour - hour) * (each.heapMb - heap), 0);
  return over / half.reduce((sum, each) => sum + (each.hour - hour) ** 2, 0);
}

function wordsOf(found: readonly Sample[]): string {
  const [first, middle, last] = [found[0]!, found[Math.floor(found.length / 2)]!, found.at(-1)!];
  const heap = [first, middle, last].map(({ heapMb }) => heapMb.toFixed(1)).join(', ');
  const nodes = [first, middle, last].map((each) => each.nodes).join(', ');
  return `heap at the start, in the middle, at the end ${heap} MB; nodes ${nodes}; ${slopeOf(found).toFixed(3)} MB an hour in the second half`;
}
