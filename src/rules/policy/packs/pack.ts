/** A pack of hours: dated rows of what contact rules allow, each with its source. */
export type Pack = { name: string; title: string; rows: readonly PackRow[] };

export type PackRow = {
  /** `US` is the whole country, `US-TX` one state. */
  area: string;
  /** Written like a window; a day that it does not name is closed. */
  hours: string;
  /** Closed on the public holidays of its country too. */
  noHolidays?: boolean;
  /** The first date on which it holds, and the first on which it no longer does, by the person's own calendar. */
  from?: string;
  until?: string;
  citation: string;
  /** The date on which its sources said so. */
  asOf: string;
  note?: string;
};
