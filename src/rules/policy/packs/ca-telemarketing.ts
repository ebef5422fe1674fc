import type { Pack } from './pack.ts';

/** Hours in which telemarketing calls to people in Canada are allowed, as regulators report them. Not legal advice. */
const hours = 'mon-fri=09:00-21:30,sat-sun=10:00-18:00';

export const caTelemarketing: Pack = {
  name: 'ca-telemarketing',
  title: 'hours for telemarketing calls to people in Canada',
  asOf: '2026-11-28',
  rows: [
    { area: 'CA', hours, citation: 'CRTC, Unsolicited Telecommunications Rules', asOf: '2026-11' },
    {
      area: 'CA-BC',
      hours,
      noHolidays: true,
      citation: 'Consumer Protection BC, on the Telemarketer Licensing Regulation',
      asOf: '2023-03',
    },
  ],
};
