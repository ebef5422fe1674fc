import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { useTerminal } from './terminal.ts';

/** Calls in progress that are ended from the command line, with nothing else running. */
const term = useTerminal('test', { shares: { answered: 1 }, faults: [{ kind: 'endless' }] });

const phones = ['+14155550121', '+14155550122', '+14155550123', '+14155550124'];
const callAll = async () => {
  const ids: string[] = [];
  for (const phone of phones) {
    ids.push((await term.type(`call create --agent agent-1 --to ${phone} --json`)).json.call_id);
  }
  return ids;
};
const statusOf = async (id: string) => (await term.type(`call show ${id} --json`)).json.status;

it('hangs up one call, those of suppressed people, and all others', async () => {
  const [first, second, third, fourth] = await callAll();
  const canceled = await term.type(`call cancel ${first} --json`);
  expect(canceled).toMatchObject({ code: 0, json: { campaign: 'calls-agent-1', phone: phones[0] } });
  expect(await statusOf(first!)).toBe('canceled');
  // Said again, it is still so.
  expect((await term.type(`call cancel ${first}`)).out).toContain('The call was hung up.');

  const suppressed = await term.type(`suppress add ${phones[1]} --hang-up`);
  expect(suppressed.out).toBe('1 number suppressed; 0 waiting rows were skipped.\nHung up 1 of 1.\n');
  expect(await statusOf(second!)).toBe('canceled');
  expect(await statusOf(third!)).not.toBe('canceled');
  const folder = mkdtempSync(join(tmpdir(), 'carillon-hang-up-'));
  try {
    writeFileSync(join(folder, 'list.csv'), `phone\n${phones[2]}\n`);
    const imported = await term.type(`suppress import ${join(folder, 'list.csv')} --hang-up`);
    expect(imported.out).toBe('1 number suppressed; 0 waiting rows were skipped.\nHung up 1 of 1.\n');
  } finally {
    rmSync(folder, { recursive: true });
  }
  expect(await statusOf(third!)).toBe('canceled');

  const stopped = await term.type('campaign pause --all --hang-up');
  expect(stopped.out).toMatch(/^Everything stopped in \d\.\d s; 4 calls are in progress\.$/m);
  expect(stopped.out).toMatch(/^Hung up 4 of 4\.$/m);
  expect(await statusOf(fourth!)).toBe('canceled');

  expect((await term.type(`call refresh ${third} --json`)).json).toMatchObject({
    state: 'done',
    outcome: 'canceled',
  });
  expect(await term.type(`call cancel ${third}`)).toMatchObject({
    code: 2,
    err: expect.stringContaining('has ended'),
  });
  const ended = await term.type('campaign cancel calls-agent-1 --yes --hang-up --json');
  expect(ended.json).toMatchObject({ state: 'canceled', hang_ups: { calls: 3, refused: 0, waiting: 0 } });
  expect((await term.type('audit --json')).json.ok).toBe(true);
});

it('tells the service’s words when it refuses, and the stop holds all the same', async () => {
  const [first] = await callAll();
  term.simulator.control({ faults: [{ kind: 'error', on: 'update', status: 400 }] });
  const stopped = await term.type('campaign pause calls-agent-1 --hang-up');
  expect(stopped).toMatchObject({ code: 0 });
  expect(stopped.out).toMatch(/^Hung up 0 of 4; 4 refused: .+\.$/m);
  const refused = await term.type(`call cancel ${first}`);
  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('did not hang up the call') });
  expect((await term.type('campaign show calls-agent-1 --json')).json.state).toBe('paused');
});
