import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { beforeAll, describe, expect, it } from 'vitest';
import { createCampaign } from '../../src/control/campaigns/create.ts';
import { serveApi } from '../api/support.ts';
import { type Assistant, assistantOf, newClient } from '../support/assistant.ts';
import { carillon, startChild } from './child.ts';
import { typeLine } from './terminal.ts';

/** `carillon mcp`: an assistant starts the program, and speaks with it over its standard input and output. */
const api = serveApi();
const errors: string[] = [];

beforeAll(async () => {
  const recipients = [{ phone: '+14155550101', name: 'Hana' }];
  const service = api.app.service({ note: () => undefined });
  await createCampaign(service, { name: 'spring', agent: 'a', recipients, start: true }, undefined);
});

async function begin(args: string[], env: Record<string, string> = {}): Promise<Assistant & { pid: number }> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [carillon, 'mcp', ...args],
    env: { PATH: process.env.PATH!, ...api.env, ...env },
    stderr: 'pipe',
  });
  transport.stderr!.on('data', (chunk) => errors.push(String(chunk)));
  const client = newClient();
  await client.connect(transport);
  return { ...assistantOf(client), pid: transport.pid! };
}

const get = async (path: string) => (await api.ask('GET', path)).json;

function lives(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('carillon mcp', () => {
  it('reads the ledger as the other commands do, and ends with its input', async () => {
    const assistant = await begin([]);
    const { answer } = await assistant.use('show_campaign', { campaign: 'spring' });
    expect(answer).toEqual(await get('/api/campaigns/spring'));
    const found = await assistant.use('find_person', { q: 'hana' });
    expect(found.answer.items).toMatchObject([{ phone: '+14155550101', campaign: 'spring' }]);
    expect((await assistant.use('stop_everything')).says).toMatch(/MCP_ACTS=1/);
    await assistant.client.close();
    expect(lives(assistant.pid)).toBe(false);
    expect(errors.join('')).toBe('');
  });

  it('gives the assistant the role that is named', async () => {
    const assistant = await begin(['--role', 'read'], { MCP_ACTS: '1' });
    expect(await assistant.names()).not.toContain('find_person');
    const { answer } = await assistant.use('list_people', { campaign: 'spring' });
    expect(answer.items).toMatchObject([{ phone: null, name: null, state: 'waiting' }]);
    await assistant.client.close();
  });

  it('acts in two steps with MCP_ACTS, and a confirmation of one process holds in the next', async () => {
    const first = await begin([], { MCP_ACTS: '1' });
    const proposed = await first.use('pause_campaign', { campaign: 'spring' });
    await first.client.close();
    const { confirm } = proposed.answer;
    const second = await begin([], { MCP_ACTS: '1' });
    const { answer } = await second.use('pause_campaign', { campaign: 'spring', confirm });
    expect(answer).toMatchObject({ acted: true, answer: { state: 'paused' } });
    await second.client.close();
    const [latest] = (await get('/api/activity')).items;
    expect(latest).toMatchObject({ who: 'cli', verb: 'campaign.pause', after: { tool: 'pause_campaign' } });
  });

  it('ends at Ctrl-C, while the assistant still listens', async () => {
    const child = startChild(['mcp'], api.env);
    child.send({ jsonrpc: '2.0', id: 1, method: 'ping' });
    expect(JSON.parse(await child.line())).toMatchObject({ id: 1, result: {} });
    expect(await child.stop()).toEqual({ code: 0, err: '' });
  });

  it('refuses another role, and settings that are missing, in one line', async () => {
    const typed = (line: string, env = {}) => typeLine(line, { ...api.env, ...env }, process.cwd());
    expect((await typed('mcp --role king')).err).toMatch(/^carillon: .*king.*\n$/);
    expect((await typed('mcp', { VOICE_BASE_URL: '' })).err).toMatch(/^carillon: VOICE_BASE_URL.*\n$/);
  });
});
