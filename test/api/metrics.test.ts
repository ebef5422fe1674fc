import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startMetrics } from '../../src/api/metrics-port.ts';
import { alertKinds } from '../../src/rules/alert-kinds.ts';
import { canUsePromtool, promtool } from '../support/promtool.ts';
import { readYaml } from '../support/yaml.ts';
import { openApi, type TestApi } from './support.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

const folder = mkdtempSync(join(tmpdir(), 'carillon-metrics-'));
const profile = join(folder, 'profile.json');
const agents = { method: 'GET', path: '/phone-number', items: '', fields: { id: '/id' } };
writeFileSync(profile, JSON.stringify({ extends: 'standard', agents }));

let api: TestApi;
beforeAll(async () => {
  api = await openApi({
    token: 'the-token',
    readToken: 'the-reader',
    env: {
      VOICE_API_KEYS: 'one=secret-of-one,two=secret-of-two',
      VOICE_RATE: 'auto,one=50',
      VOICE_PROFILE: profile,
    },
  });
});
afterAll(async () => {
  await api?.close();
  rmSync(folder, { recursive: true, force: true });
});

const reader = { authorization: 'Bearer the-reader' };
const writer = { authorization: 'Bearer the-token' };
const scrape = () => api.ask('GET', '/metrics', { headers: reader });

it('the metrics show in Prometheus format what the keys may do, and the believed limits', async () => {
  const { status, headers, text } = await scrape();
  expect(status, text).toBe(200);
  expect(headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect(text).toContain('# TYPE carillon_key_rate gauge\n');
  expect(text).toContain('\ncarillon_key_rate{key="one"} 50\n');
  expect(text).toMatch(/\ncarillon_key_limit_since_timestamp_seconds\{key="two"\} \d+/);
  expect(text).toContain('\ncarillon_key_probing{key="two"} 0\n');
  expect(text).toContain('\ncarillon_key_state{key="one",state="open"} 1\n');
  expect(text).toContain('\ncarillon_key_state{key="one",state="out_of_credit"} 0\n');
  // Nothing was refused yet: an unknown value has no sample.
  expect(text).not.toContain('carillon_key_limit{');
  expect(text).not.toContain('carillon_key_window_seconds{');
  expect(text).not.toContain('secret-of');
  const families = [...text.matchAll(/^# TYPE (\S+)/gm)].map((match) => match[1]);
  expect(new Set(families).size).toBe(families.length);
  for (const line of text
    .trim()
    .split('\n')
    .filter((each) => each.startsWith('carillon'))) {
    expect(line).toMatch(/^[a-z_]+(\{[a-z]+="[^"\n]*"(,[a-z]+="[^"\n]*")*\})? -?[\d.]+(e[-+]?\d+)?$/);
  }
});

it('the metrics count the requests to the service, by key, operation and class of the answer', async () => {
  const counted = (text: string, operation = 'numbers') =>
    Number(
      new RegExp(
        `^carillon_requests_total\\{key="one",operation="${operation}",status="(?:2xx|none)"\\} (\\d+)$`,
        'm',
      ).exec(text)?.[1] ?? 0,
    );
  const before = counted((await scrape()).text);
  await api.app.lanes[0]!.client.numbers({ limit: 1 });
  await api.app.lanes[0]!.client.agents({ limit: 1 });
  const { text } = await scrape();
  expect(counted(text)).toBe(before + 1);
  expect(counted(text, 'agents')).toBe(1);
  expect(text).toContain('# TYPE carillon_dial_delay_seconds histogram\n');
  expect(text).toContain('\ncarillon_may_dial 1\n');
});

it('a worker without the API answers with what it counts, on a port of its own, to those who have a token', async () => {
  const tokens = { token: 'the-token', readToken: 'the-reader' };
  const metrics = await startMetrics(api.app, { host: '127.0.0.1', port: 0, ...tokens });
  try {
    const ask = (headers: Record<string, string>, url = metrics.url) => fetch(url, { headers });
    expect((await ask({})).status).toBe(401);
    expect((await ask({ ...reader, 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await ask(reader, metrics.url.replace('/metrics', '/api/keys'))).status).toBe(404);
    const text = await (await ask(reader)).text();
    expect(text).toContain('# TYPE carillon_calls_total counter\n');
    expect(text).toContain('# TYPE process_cpu_seconds_total counter\n');
  } finally {
    await metrics.close();
  }
});

it('a worker without a token refuses a page whose name was pointed at its metrics', async () => {
  const metrics = await startMetrics(api.app, { host: '127.0.0.1', port: 0 });
  const { port } = new URL(metrics.url);
  const status = async (host: string) => {
    const sent = request({ host: '127.0.0.1', port, path: '/metrics', headers: { host } }).end();
    const [answer] = await once(sent, 'response');
    answer.resume();
    return answer.statusCode;
  };
  try {
    expect(await status(`evil.example:${port}`)).toBe(403);
    expect(await status('localhost')).toBe(403);
    expect([await status(`localhost:${port}`), await status(`127.0.0.1:${port}`)]).toEqual([200, 200]);
  } finally {
    await metrics.close();
  }
});

it('the metrics are those of the process that answers, however many servers it has and had', async () => {
  const other = await openApi();
  const texts = [(await scrape()).text, (await other.ask('GET', '/metrics')).text];
  await other.close();
  texts.push((await scrape()).text);
  for (const text of texts) {
    expect(text).toMatch(/^process_resident_memory_bytes [1-9]/m);
    expect(text).toMatch(/^process_cpu_seconds_total \d/m);
  }
  // Each server reports its own keys.
  expect(texts.map((text) => /carillon_key_rate\{key="(\w+)"/.exec(text)?.[1])).toEqual([
    'one',
    'main',
    'one',
  ]);
});

it('the metrics count campaigns and attempts in progress, whatever characters a name has', async () => {
  const name = 'a "quoted\\" name';
  const [{ id: agent }] = (await api.ask('GET', '/api/agents', { headers: writer })).json.items;
  const made = await api.ask('POST', '/api/campaigns', { headers: writer, body: { name, agent } });
  const path = `/api/campaigns/${made.json.id}`;
  const people = [{ phone: '+14155550101' }, { phone: '+14155550102' }];
  await api.ask('POST', `${path}/recipients`, { headers: writer, body: people });
  await api.ask('POST', `${path}/start`, { headers: writer });
  const lane = api.stations.lanes().find((each) => each.name === 'two')!;
  await api.app.ledger.lanes.deny(lane.id, 'revoked');
  lane.state = 'denied';
  await api.stations.plan();
  const { text } = await scrape();
  expect(text).toContain('\ncarillon_campaigns{state="running"} 1\n');
  expect(text).toContain('\ncarillon_key_state{key="two",state="denied"} 1\n');
  // One attempt is planned for an unproved order.
  expect(text).toContain('\ncarillon_key_attempts{key="one",state="planned"} 1\n');
  expect(text).toContain('carillon_attempts{campaign="a \\"quoted\\\\\\" name",state="planned"} 1\n');
});

it('the metrics need a token if one is set', async () => {
  expect((await api.ask('GET', '/metrics')).status).toBe(401);
});

describe('the files in ops/ for Prometheus and Grafana', () => {
  type Rule = {
    alert: string;
    expr: string;
    labels: { severity: string };
    annotations: Record<string, string>;
  };
  const rulesFile = join(root, 'ops/prometheus/rules.yml');
  const board = readFileSync(join(root, 'ops/grafana/carillon.json'), 'utf8');
  const { groups } = readYaml(readFileSync(rulesFile, 'utf8')) as unknown as { groups: { rules: Rule[] }[] };
  const rules = groups.flatMap((group) => group.rules);
  const usesPromtool = canUsePromtool('metrics and alert rules');

  it('names only metrics that exist', async () => {
    const { text } = await scrape();
    const known = new Set<string>(['up']);
    for (const [, name, type] of text.matchAll(/^# TYPE (\S+) (\w+)$/gm)) {
      known.add(name!);
      if (type === 'histogram') for (const part of ['bucket', 'sum', 'count']) known.add(`${name}_${part}`);
    }
    const panels = (JSON.parse(board) as { panels: { targets?: { expr: string }[] }[] }).panels;
    const exprs = [
      ...rules.map(({ expr }) => expr),
      ...panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
    ];
    const used = exprs.flatMap((expr) => expr.match(/\b(?:carillon|process|nodejs)_\w+|\bup\b/g) ?? []);
    expect(used.length).toBeGreaterThan(50);
    expect(used.filter((name) => !known.has(name))).toEqual([]);
    const page = readFileSync(join(root, 'docs/reference/metrics.md'), 'utf8');
    expect(
      [...known].filter(
        (name) =>
          name.startsWith('carillon') &&
          !/_(?:bucket|sum|count)$/.test(name) &&
          !page.includes(`\`${name}\``),
      ),
    ).toEqual([]);
  });

  it('has a rule for each alert of the catalogue, with what to do, and the reference has a row', () => {
    const page = readFileSync(join(root, 'docs/reference/metrics.md'), 'utf8');
    for (const [code, { severity, title, remedy }] of Object.entries(alertKinds)) {
      const rule = rules.find(({ expr }) => expr.includes(`carillon_alert{code="${code}"}`));
      expect(rule, code).toMatchObject({
        labels: { severity },
        annotations: { summary: title, action: remedy },
      });
      expect(page).toContain(`| \`${code}\` | ${severity} |`);
    }
    for (const { alert, annotations } of rules)
      expect(Object.keys(annotations), alert).toEqual(['summary', 'action']);
  });

  it.skipIf(!usesPromtool)('satisfies Prometheus’s own checks, as /metrics does', async () => {
    expect(promtool(['rules', rulesFile])).toBe('');
    expect(promtool(['metrics'], (await scrape()).text)).toBe('');
  });
});
