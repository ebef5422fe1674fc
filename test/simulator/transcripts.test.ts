import { expect, test } from 'vitest';
import { converse, leaveMessage } from '../../simulator/transcripts.ts';

const talk = (i: number, seconds = 60, name: string | null = 'Ada') =>
  converse(1, `+1415555${1000 + i}`, 0, name, seconds);

test('a talk has one speaker a line, names the customer and is the same every time', () => {
  for (let i = 0; i < 200; i++) {
    const { transcript } = talk(i, 10 + i);
    for (const line of transcript.split('\n')) expect(line).toMatch(/^(Agent|Customer): \S/);
    expect(transcript).toContain('Ada');
    expect(talk(i, 10 + i).transcript).toBe(transcript);
  }
});

test('talks differ from phone to phone, and longer calls have longer ones', () => {
  const all = new Set(Array.from({ length: 300 }, (_, i) => talk(i).transcript));
  expect(all.size).toBeGreaterThan(250);
  expect(talk(1, 300).transcript.length).toBeGreaterThan(2 * talk(1, 30).transcript.length);
});

test('the data says what was agreed, and every ending occurs', () => {
  const moods = new Set<string>();
  for (let i = 0; i < 200; i++) {
    const { data } = talk(i);
    expect(data).toHaveProperty('interested');
    moods.add(`${data.interested} ${data.callback === null} ${data.appointment !== undefined}`);
  }
  expect(moods.size).toBe(3);
});

test('a customer without a name is not greeted by one', () => {
  expect(talk(1, 60, null).transcript).not.toContain('null');
  expect(leaveMessage(1, '+14155550100', 0, null).transcript).not.toContain('null');
});
