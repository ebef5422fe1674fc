import type { Pack } from './pack.ts';

/**
 * Hours in which telemarketing calls to people in the US are allowed, as secondary sources report the law. Not legal
 * advice. If sources disagree, the strictest row is here and its note says so.
 */

/** The sources of the rows of states: they are secondary, and none is the law itself. */
const secondary =
  'secondary sources: dropcowboy.com/state-compliance (November 2025), clickpointsoftware (July 2025), the seed rows of VICIdial';
const asOf = '2025-11';

const row = (area: string, hours: string, more: { note?: string; noHolidays?: boolean } = {}) => ({
  area,
  hours,
  citation: secondary,
  asOf,
  ...more,
});

export const usTelemarketing: Pack = {
  name: 'us-telemarketing',
  title: 'hours for telemarketing calls to people in the US',
  rows: [
    { area: 'US', hours: '08:00-21:00', citation: '47 CFR 64.1200(c)(1)', asOf },
    row('US-AL', 'mon-sat=08:00-20:00', { noHolidays: true }),
    row('US-LA', 'mon-sat=08:00-20:00', { noHolidays: true }),
    row('US-MS', 'mon-sat=08:00-20:00'),
    ...['US-FL', 'US-MD', 'US-OK', 'US-MA', 'US-WA', 'US-WY'].map((area) => row(area, '08:00-20:00')),
    row('US-KY', '10:00-21:00'),
    row('US-NV', '09:00-20:00'),
    row('US-UT', '09:00-20:00'),
    row('US-MI', '09:00-21:00'),
    row('US-MN', '09:00-21:00'),
    row('US-NM', '09:00-21:00'),
    row('US-CT', '09:00-20:00', { note: 'one source says 09:00-21:00' }),
    row('US-RI', 'mon-fri=09:00-18:00,sat=10:00-17:00'),
    row('US-TX', 'mon-sat=09:00-21:00,sun=12:00-21:00'),
    { ...row('US-PA', 'mon-sat=08:00-21:00,sun=13:30-21:00'), until: '2026-10-18' },
    { ...row('US-PA', 'mon-sat=08:00-21:00', { note: 'by one source' }), from: '2026-10-18' },
    row('US-ME', 'mon-fri=09:00-17:00', { note: 'the hours for automated calls' }),
  ],
};
