import { catalogue, type ErrorCode, exitOf } from './error-catalogue.ts';

/**
 * A fault in one field of a request: its path, such as `recipients.3.phone`, and words that follow it. `code` is the
 * kind that a schema found; a fault that a verb found has none.
 */
export type FieldIssue = { path: string; code?: IssueCode; message: string };

/** The names are zod's. `custom` is a rule of ours. */
export const issueCodes = [
  'invalid_type',
  'invalid_value',
  'invalid_format',
  'invalid_union',
  'invalid_key',
  'invalid_element',
  'too_small',
  'too_big',
  'not_multiple_of',
  'unrecognized_keys',
  'custom',
] as const;
type IssueCode = (typeof issueCodes)[number];

/** What an error tells besides its message. */
type Told = { remedy?: string; cause?: unknown; issues?: readonly FieldIssue[] };

export class CarillonError extends Error {
  readonly code: ErrorCode;
  readonly remedy: string;
  readonly issues: readonly FieldIssue[];

  /** `message` says what happened and where; `remedy` says what to do, by default as in the catalogue. */
  constructor(code: ErrorCode, message?: string, options: Told = {}) {
    super(message ?? catalogue[code].title, { cause: options.cause });
    this.name = 'CarillonError';
    this.code = code;
    this.remedy = options.remedy ?? catalogue[code].remedy;
    this.issues = options.issues ?? [];
  }

  get exit(): 1 | 2 | 3 | 130 {
    return exitOf(this.code);
  }

  get status(): number {
    return catalogue[this.code].status;
  }
}

/** Strips the dots and spaces at the end. A pattern would start again at each dot of a hundred thousand. */
function withoutEnd(text: string): string {
  let end = text.length;
  while (end > 0 && (text[end - 1] === '.' || text[end - 1] === ' ')) end -= 1;
  return text.slice(0, end).trimStart();
}

/** One line for stderr: what happened, then what to do. A user never sees a stack trace. */
export function errorLine(error: unknown): string {
  const line = (text: string) => withoutEnd(text.replace(/\s+/g, ' '));
  if (error instanceof CarillonError) return `${line(error.message)}. ${error.remedy}`;
  const text = error instanceof Error ? error.message || error.name : String(error);
  return `${line(text)}. ${catalogue.unexpected.remedy}`;
}
