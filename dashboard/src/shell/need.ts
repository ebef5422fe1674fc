/** Dialogs that settle a need where it stands. */
export type Opens = 'resume-all' | 'confirm-history';
export const leastRole = { 'resume-all': 'operate', 'confirm-history': 'admin' } as const;

/** One thing that needs a person. */
export type Need = {
  id: string;
  tone: 'bad' | 'odd' | 'warn';
  what: string;
  /** The consequence, and what Carillon does by itself; commands stand between backticks. */
  text: string;
  /** When Carillon asks the service next. */
  asks?: string | null;
  since?: string;
  /** A page to open, or a dialog of its own. */
  act?: { to: string; words: string } | { opens: Opens; words: string };
  icon?: 'scales' | 'pause';
  /** Nobody is called at all. */
  all?: boolean;
};

export const openHealth = { to: '/health', words: 'Open Health' };
