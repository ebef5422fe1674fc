// Draws docs/pictures/trace.svg: the trace of one attempt, as a collector gets it. Three processes make the call on the
// simulator, with the SDK that ops/opentelemetry/otel.mjs loads: `npx tsx scripts/trace-picture.ts`.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { startSimulator } from '../simulator/server.ts';
import { startCollector, type ToldSpan } from '../test/support/otlp.ts';
import { until } from '../test/support/until.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const workers = { planner: 'planner', dialer: 'dialer', tracker: 'tracker,reconciler,refresher' };
const colours = ['#4f7cac', '#c8743c', '#5a9367'];

/** The spans of the attempt, and the process of each. */
async function record(): Promise<ToldSpan[]> {
  const home = mkdtempSync(join(tmpdir(), 'carillon-trace-'));
  const [sim, collector] = await Promise.all([
    startSimulator({ speed: 30, seed: 3, latencyMs: 40, shares: { answered: 1 } }),
    startCollector(),
  ]);
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    CARILLON_HOME: home,
    PORT: '0',
    VOICE_BASE_URL: sim.url,
    VOICE_API_KEYS: 'main=key',
    VOICE_RATE: '5',
    NODE_OPTIONS: `--import ${join(root, 'ops/opentelemetry/otel.mjs')}`,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_BSP_SCHEDULE_DELAY: '100',
  };
  const start = (service: string, ...args: string[]) =>
    spawn(process.execPath, [join(root, 'bin/carillon.js'), ...args], {
      env: { ...env, OTEL_SERVICE_NAME: service },
      cwd: home,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  const children: ChildProcess[] = [];
  try {
    const api = start('api', 'api');
    children.push(api);
    let url = '';
    for await (const line of createInterface({ input: api.stdout })) {
      [, url = ''] = /listens on (http:\S+)/.exec(line) ?? [];
      if (url) break;
    }
    for (const [name, only] of Object.entries(workers)) children.push(start(name, 'worker', '--only', only));
    // All of them must be there, or the picture would show how long one took to start.
    await until(async () => {
      const { items } = (await (await fetch(`${url}/api/processes`)).json()) as { items: unknown[] };
      return items.length > Object.keys(workers).length;
    });
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ agent: 'agent_1', phone: '+14155550123' });
    await fetch(`${url}/api/calls`, { method: 'POST', headers, body });
    await collector.has('attempt', 1);
  } finally {
    for (const child of children.reverse()) {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
    await sim.close();
    await collector.close();
    rmSync(home, { recursive: true, force: true });
  }
  const [whole] = collector.named('attempt');
  return collector.spans.filter(({ traceId }) => traceId === whole!.traceId);
}

type Row = { span: ToldSpan; depth: number; from: number; to: number };

/** Each span below its parent, in the order of their starts; times in ms from the first. */
function rowsOf(spans: readonly ToldSpan[]): Row[] {
  const ms = (nanos: string) => Number(BigInt(nanos) / 1_000n) / 1_000;
  const begin = Math.min(...spans.map((span) => ms(span.startTimeUnixNano)));
  const below = (parent: string | undefined, depth: number): Row[] =>
    spans
      .filter(({ parentSpanId }) => (parentSpanId || undefined) === parent)
      .sort((a, b) => ms(a.startTimeUnixNano) - ms(b.startTimeUnixNano))
      .flatMap((span) => [
        { span, depth, from: ms(span.startTimeUnixNano) - begin, to: ms(span.endTimeUnixNano) - begin },
        ...below(span.spanId, depth + 1),
      ]);
  return below(undefined, 0);
}

const width = 980;
const left = 250;
const line = 22;

function chart(rows: readonly Row[], top: number, title: string, colourOf: (row: Row) => string): string {
  const from = Math.min(...rows.map((row) => row.from));
  const to = Math.max(...rows.map((row) => row.to));
  const x = (ms: number) => left + ((ms - from) / (to - from)) * (width - left - 90);
  const bars = rows.map((row, at) => {
    const y = top + line * (at + 1);
    const length = Math.max(2, x(row.to) - x(row.from));
    const took = row.to - row.from;
    const text = took >= 1_000 ? `${(took / 1_000).toFixed(2)} s` : `${took.toFixed(1)} ms`;
    return `<text x="${12 + row.depth * 14}" y="${y + 13}">${row.span.name}</text><rect x="${x(row.from).toFixed(1)}" y="${y + 3}" width="${length.toFixed(1)}" height="13" rx="2" fill="${colourOf(row)}"/><text x="${(x(row.from) + length + 6).toFixed(1)}" y="${y + 13}" class="took">${text}</text>`;
  });
  return `<text x="12" y="${top + 12}" class="title">${title}</text>\n${bars.join('\n')}`;
}

function draw(spans: readonly ToldSpan[]): string {
  const rows = rowsOf(spans);
  const services = Object.keys(workers);
  const colourOf = ({ span }: Row) => colours[services.indexOf(String(span.process))] ?? '#888';
  const dialled = rows.findIndex(({ span }) => span.name === 'dial attempt');
  const end = rows.findIndex(({ depth }, at) => at > dialled && depth <= rows[dialled]!.depth);
  const parts = rows.slice(dialled, end < 0 ? undefined : end);
  const second = line * (rows.length + 2);
  const height = second + line * (parts.length + 3);
  const legend = services.map(
    (name, at) =>
      `<rect x="${left + at * 110}" y="${height - 22}" width="12" height="12" rx="2" fill="${colours[at]}"/><text x="${left + at * 110 + 18}" y="${height - 12}">${name}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="12" fill="#222">
<title>The trace of an attempt: its spans over time, by process</title>
<style>.title { font-weight: 600 } .took { fill: #666; font-size: 11px }</style>
<rect width="${width}" height="${height}" fill="#fff"/>
${chart(rows, 8, `The attempt ${rows[0]!.span.attributes['carillon.attempt.id']}`, colourOf)}
${chart(parts, second, 'Its dialling, closer', colourOf)}
${legend.join('\n')}
</svg>
`;
}

writeFileSync(join(root, 'docs/pictures/trace.svg'), draw(await record()));
