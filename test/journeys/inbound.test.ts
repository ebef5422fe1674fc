import { join } from 'node:path';
import { expect } from 'vitest';
import { people, summaryOf } from '../support/carillon.ts';
import { agentOf, caller, profileOf } from '../support/dialects.ts';
import { expectSound } from '../support/journeys.ts';
import { it } from './desk.ts';

/** A campaign on a service that also takes calls: room stays free for these. */
it('a campaign leaves two of six calls free beside one that came in, and the keys and doctor say so', async ({
  openDesk,
}) => {
  const desk = await openDesk('postgres', { service: 'retell', concurrency: 6, inbound: 1, speed: 40 });
  const profile = join(desk.folder, 'profile.json');
  const env = { VOICE_SERVICE: 'retell', VOICE_PROFILE: profile, VOICE_MAX_CALLS: 'main=6-2' };
  desk.write('profile.json', JSON.stringify(profileOf('retell')));
  desk.write('people.csv', people(24));
  const args = ['run', 'people.csv', '--agent', agentOf('retell'), '--from', caller, '--json', '--yes'];
  const ended = await desk.type(args, env);
  expect(ended.code, ended.stderr).toBe(0);
  expect(summaryOf(ended)).toMatchObject({ rows: 24, done: 24, attempts: 24 });
  // A busy machine may never have three at the same moment.
  expect([2, 3]).toContain(desk.sim.state().keys[0]!.peakInFlight);
  await expectSound(desk);
  const keys = await desk.type(['keys'], env);
  expect(keys.stdout).toContain('main keeps 2 of 6 calls free for those that come in');
  const doctor = await desk.type(['doctor'], env);
  expect(doctor.stdout).toContain('2 of 6 calls at once stay free for those that come in; 1 in progress now');
  const wrong = await desk.type(['keys'], { ...env, VOICE_MAX_CALLS: 'main=2-2' });
  expect([wrong.code, wrong.stdout]).toEqual([2, '']);
  expect(wrong.stderr).toContain('VOICE_MAX_CALLS keeps 2 of 2 calls free, and leaves none to make');
});
