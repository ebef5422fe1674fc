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
