import { describe, expect, test } from 'vitest';
import { parseDays, parseWindow, showWindow } from '../../../src/rules/time/window.ts';

const week = [1, 2, 3, 4, 5, 6, 7];
const workdays = [1, 2, 3, 4, 5];

describe('parseWindow', () => {
  test.each([
    ['09:00-20:00', 540, 1200],
    ['9-20', 540, 1200],
    [' 00:00 - 24:00 ', 0, 1440],
    ['08:30–21:15', 510, 1275],
    ['20:00-02:00', 1200, 1560],
    ['20:00-00:00', 1200, 1440],
    ['22-6', 1320, 1800],
    ['9:00-5:00', 540, 1740],
  ])('reads %j', (text, from, to) => {
    expect(parseWindow(text)).toEqual([{ from, to, days: week }]);
  });

  test.each([
    ['09:00-09:00', 'window-empty'],
    ['09:00', 'usage-invalid'],
    ['09:60-10:00', 'usage-invalid'],
    ['09:00-24:01', 'usage-invalid'],
    ['morning', 'usage-invalid'],
    ['', 'usage-invalid'],
    ['24:00-02:00', 'usage-invalid'],
    ['09:00-12:00+', 'usage-invalid'],
    ['mon-fri=09:00-20:00,sat', 'usage-invalid'],
    ['mon-fri=09:00-20:00,fri=10:00-12:00', 'usage-invalid'],
    ['mon=sat=09:00-20:00', 'usage-invalid'],
    ['sun=09:00-09:00', 'window-empty'],
    // Nearly all of it would be night.
    ['9-5', 'usage-invalid'],
    ['mon-fri=8-6', 'usage-invalid'],
  ])('refuses %j as %s', (text, code) => {
    expect(() => parseWindow(text)).toThrow(expect.objectContaining({ code }));
  });
});

describe('a window by weekday', () => {
  test.each([
    [
      'mon-fri=09:00-20:00,sat=10:00-16:00',
      [
        { from: 540, to: 1200, days: workdays },
        { from: 600, to: 960, days: [6] },
      ],
    ],
    ['mon,wed=9-12', [{ from: 540, to: 720, days: [1, 3] }]],
    [
      '09:00-12:00+14:00-18:00',
      [
        { from: 540, to: 720, days: week },
        { from: 840, to: 1080, days: week },
      ],
    ],
  ])('reads %j', (text, spans) => {
    expect(parseWindow(text)).toEqual(spans);
  });

  test.each(['09:00-20:00', 'mon-fri=09:00-20:00,sat=10:00-12:00+14:00-16:00', '20:00-02:00'])(
    'is shown as it is written: %j',
    (text) => {
      expect(showWindow(parseWindow(text))).toBe(text);
    },
  );
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
