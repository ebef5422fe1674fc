import { expect, it } from 'vitest';
import { bucketName, drop, payload, queueName, rest, wait } from '../../src/queues/job.ts';

const url = 'https://voice.example:8443/v1';

it('names contain neither a colon nor a brace, whatever the service’s address is', () => {
  const bucket = bucketName(url, 'main_key-1');
  const names = [bucket, queueName(bucket, 'dial', null), queueName(bucket, 'track', crypto.randomUUID())];
  for (const name of names) expect(name).toMatch(/^[a-z0-9_.-]+$/);
});

it('one key has one bucket in every process, and another bucket at another service', () => {
  expect(bucketName(url, 'main')).toBe(bucketName(url, 'main'));
  expect(bucketName(url, 'main')).not.toBe(bucketName('https://other.example/v1', 'main'));
  expect(bucketName(url, 'main')).not.toBe(bucketName(url, 'main2'));
});

it('a run has queues of its own, apart from those of the background', () => {
  const campaign = '0b9f6c5e-4f0c-4a0e-8f39-0f0a3c1c9a11';
  const names = [null, campaign].flatMap((id) => [queueName('b', 'dial', id), queueName('b', 'track', id)]);
  expect(new Set(names).size).toBe(4);
});

it('a job carries an id and nothing else', () => {
  const attemptId = crypto.randomUUID();
  expect(payload.parse({ attemptId, phone: '+14155550123' })).toEqual({ attemptId });
  for (const wrong of [{}, { attemptId: 7 }, { attemptId: 'x' }, null, 'text']) {
    expect(payload.safeParse(wrong).success).toBe(false);
  }
});

it('times are whole milliseconds, and neither a wait nor a rest is zero', () => {
  expect(wait(1_000.2)).toEqual({ kind: 'wait', ms: 1_001 });
  expect(wait(-5)).toEqual({ kind: 'wait', ms: 1 });
  expect(rest(0.2)).toEqual({ kind: 'rest', ms: 1 });
  expect(rest(-5)).toEqual({ kind: 'rest', ms: 1 });
  expect(drop('why')).toEqual({ kind: 'drop', why: 'why' });
});
