import { describe, expect, test } from 'vitest';
import { parseDays, parseWindow } from '../../../src/rules/time/window.ts';

const week = [1, 2, 3, 4, 5, 6, 7];
const workdays = [1, 2, 3, 4, 5];

describe('parseWindow', () => {
  test.each([
    ['09:00-20:00', 540, 1200],
    ['9-20', 540, 1200],
    [' 00:00 - 24:00 ', 0, 1440],
    ['08:30–21:15', 510, 1275],
  ])('reads %j', (text, from, to) => {
    expect(parseWindow(text)).toEqual({ from, to, days: week });
  });

  test.each([
    ['20:00-09:00', 'window-empty'],
    ['09:00-09:00', 'window-empty'],
    ['09:00', 'usage-invalid'],
    ['09:60-10:00', 'usage-invalid'],
    ['09:00-24:01', 'usage-invalid'],
    ['morning', 'usage-invalid'],
    ['', 'usage-invalid'],
  ])('refuses %j as %s', (text, code) => {
    expect(() => parseWindow(text)).toThrow(expect.objectContaining({ code }));
  });
});

describe('parseDays', () => {
  test.each([
    ['mon-fri', workdays],
    ['mon,wed,fri', [1, 3, 5]],
    ['sat', [6]],
    ['Fri-Mon', [1, 5, 6, 7]],
    ['monday - wednesday, Sunday', [1, 2, 3, 7]],
    ['sun,mon,sun', [1, 7]],
  ])('reads %j', (text, days) => {
    expect(parseDays(text)).toEqual(days);
  });

  test.each([
    ['', 'window-empty'],
    [',', 'window-empty'],
    ['someday', 'usage-invalid'],
    ['mo', 'usage-invalid'],
    ['mon-tue-wed', 'usage-invalid'],
    ['mon-', 'usage-invalid'],
  ])('refuses %j as %s', (text, code) => {
    expect(() => parseDays(text)).toThrow(expect.objectContaining({ code }));
  });
});
