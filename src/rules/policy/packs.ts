/** A pack of hours: dated rows of what contact rules allow, each with its source. */
export type Pack = {
  name: string;
  title: string;
  /** The date on which all of its rows were last compared with their sources. */
  asOf: string;
  rows: readonly PackRow[];
};

export type PackRow = {
  /** `US` is the whole country, `US-TX` one state. */
  area: string;
  /** Written like a window; a day that it does not name is closed. */
  hours: string;
  /** Closed on the holidays of its country and its state too. */
  noHolidays?: boolean;
  /** The first date on which it holds, and the first on which it no longer does, by the person's own calendar. */
  from?: string;
  until?: string;
  citation: string;
  /** When its source said so, or was read. */
  asOf: string;
  /** Where sources differ, what the others say. */
  note?: string;
};

/**
 * Hours in which telemarketing calls to people in the US are allowed, as laws and secondary sources report them. Not
 * legal advice. If sources disagree, or a law for recorded messages is stricter, the strictest is here and the note
 * says so.
 */
const secondary =
  'secondary sources: dropcowboy.com/state-compliance (November 2025), clickpointsoftware (July 2025), the seed rows of VICIdial';
/** The FCC calls a generated voice artificial; whether these laws mean it too is open. */
const recorded = 'the law for recorded messages, which may mean a generated voice too';

const row = (area: string, hours: string, more: Partial<PackRow> = {}): PackRow => ({
  area,
  hours,
  citation: secondary,
  asOf: more.citation ? '2026-11' : '2025-11',
  ...more,
});

const pennsylvania = { area: 'US-PA', noHolidays: true, asOf: '2026-11' };

const usTelemarketing: Pack = {
  name: 'us-telemarketing',
  title: 'hours for telemarketing calls to people in the US',
  asOf: '2026-11-28',
  rows: [
    row('US', '08:00-21:00', { citation: '47 CFR 64.1200(c)(1)' }),
    row('US-AL', 'mon-sat=08:00-20:00', {
      noHolidays: true,
      note: 'may bind utilities only; Mardi Gras is a holiday of two counties',
    }),
    row('US-CA', '09:00-21:00', {
      citation: 'Cal. Pub. Util. Code 2872',
      note: `${recorded}; other calls from 08:00`,
    }),
    row('US-CT', '09:00-20:00', { note: 'since 2023-10-01; one source says until 21:00, as before' }),
    row('US-IL', '09:00-21:00', { note: `${recorded}; other calls from 08:00 (815 ILCS 413/15)` }),
    row('US-IN', '09:00-20:00', { note: 'by one source; others name no hours' }),
    row('US-KY', '10:00-21:00'),
    row('US-LA', 'mon-sat=08:00-20:00', {
      noHolidays: true,
      citation: 'La. R.S. 45:811, with the holidays of R.S. 1:55',
      note: 'the governor proclaims more holidays, and no call is allowed in some states of emergency',
    }),
    row('US-ME', 'mon-fri=09:00-17:00', { note: 'the hours for automated calls' }),
    row('US-MI', '09:00-21:00'),
    row('US-MN', '09:00-21:00'),
    row('US-MS', 'mon-sat=08:00-20:00', {
      note: 'Miss. Code 77-3-603 says until 21:00, 77-3-723 until 20:00; holidays are open since 2024',
    }),
    row('US-NE', 'mon-sat=08:00-21:00,sun=13:00-21:00', {
      noHolidays: true,
      note: 'one source, for recorded messages: Sundays and holidays from 13:00; holidays are closed here',
    }),
    row('US-NM', '09:00-21:00'),
    row('US-NV', '09:00-20:00', { note: 'NRS 597.814 says until 21:00 for recorded messages' }),
    row('US-OK', '09:00-20:00', {
      note: 'from 09:00 by 15 Okla. Stat. 755.1 for recorded messages; other calls from 08:00',
    }),
    row('US-OR', '08:00-20:00', {
      from: '2026-01-01',
      citation: 'Oregon HB 3865, as a law firm reports it (2025)',
      note: 'one source names no hours',
    }),
    {
      ...pennsylvania,
      hours: 'mon-sat=08:00-21:00,sun=13:30-21:00',
      until: '2026-10-18',
      citation: `${secondary}; holidays by a law firm (2019)`,
    },
    {
      ...pennsylvania,
      hours: 'mon-sat=09:00-19:00',
      from: '2026-10-18',
      citation: 'Pennsylvania Act 47 of 2026 (SB 992), as a caucus of the Senate reports it',
      note: 'the act was not read; older sources allow 08:00-21:00',
    },
    row('US-RI', 'mon-fri=09:00-18:00,sat=10:00-17:00', {
      noHolidays: true,
      citation: `R.I. Gen. Laws 5-61-2 and 25-1-1; ${secondary}`,
    }),
    row('US-SC', '08:00-19:00', {
      citation: 'S.C. Code 16-17-446, an undated copy',
      note: `${recorded}; other calls until 21:00`,
    }),
    row('US-SD', 'mon-fri=09:00-21:00', {
      citation: 'S.D. Codified Laws 37-30-28',
      note: 'the hours for automated calls; for others, sources close Sunday only',
    }),
    row('US-TX', 'mon-sat=09:00-21:00,sun=12:00-21:00'),
    row('US-UT', 'mon-sat=09:00-20:00', {
      noHolidays: true,
      citation: `Utah Code 13-25a-103, with the holidays of 63G-1-301; ${secondary}`,
      note: 'the law says 08:00-21:00, secondary sources 09:00-20:00',
    }),
    ...['US-FL', 'US-MD', 'US-MA'].map((area) => row(area, '08:00-20:00')),
    ...['US-WA', 'US-WY'].map((area) =>
      row(area, '08:00-20:00', { note: 'recorded sales calls are forbidden, with exceptions' }),
    ),
  ],
};

/** Hours in which telemarketing calls to people in Canada are allowed, as regulators report them. Not legal advice. */
const canadian = 'mon-fri=09:00-21:30,sat-sun=10:00-18:00';

const caTelemarketing: Pack = {
  name: 'ca-telemarketing',
  title: 'hours for telemarketing calls to people in Canada',
  asOf: '2026-11-28',
  rows: [
    { area: 'CA', hours: canadian, citation: 'CRTC, Unsolicited Telecommunications Rules', asOf: '2026-11' },
    {
      area: 'CA-BC',
      hours: canadian,
      noHolidays: true,
      citation: 'Consumer Protection BC, on the Telemarketer Licensing Regulation',
      asOf: '2023-03',
    },
  ],
};

/** The packs of hours that ship; none holds until a policy names it. */
export const packs: readonly Pack[] = [usTelemarketing, caTelemarketing];

export function packNamed(name: string): Pack | undefined {
  return packs.find((pack) => pack.name === name);
}

const halfYearMs = 183 * 86_400_000;

/** Whether laws may well have changed since its rows were compared with their sources. */
export function isOutdated({ asOf }: Pack, now: number): boolean {
  return now - Date.parse(asOf) > halfYearMs;
}
