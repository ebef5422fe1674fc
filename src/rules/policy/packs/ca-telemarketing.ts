import type { Pack } from './pack.ts';

/**
 * Hours in which telemarketing calls to people in Canada are allowed, as secondary sources report the rules of the
 * CRTC. Not legal advice.
 */
export const caTelemarketing: Pack = {
  name: 'ca-telemarketing',
  title: 'hours for telemarketing calls to people in Canada',
  rows: [
    {
      area: 'CA',
      hours: 'mon-fri=09:00-21:30,sat-sun=10:00-18:00',
      citation: 'CRTC, as secondary sources report it',
      asOf: '2025-11',
    },
  ],
};
