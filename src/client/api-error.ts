import type { Problem } from './description.ts';

/** A code of the error catalogue, or `unreachable` when no answer came. */
export type ApiErrorCode = Problem['code'] | 'unreachable';

/** What the API refused, in its own words; or that it could not be asked. */
export class CarillonApiError extends Error {
  override readonly name = 'CarillonApiError';
  readonly code: ApiErrorCode;
  /** Of the answer; 0 when none came. */
  readonly status: number;
  readonly title: string;
  /** What to do. */
  readonly remedy: string;
  /** Each wrong field of the request: `recipients.3.phone` is the phone of the fourth. */
  readonly issues: NonNullable<Problem['issues']>;
  /** Seconds after which the request may be sent again. */
  readonly retryAfter: number | null;
  /** What the log of Carillon calls `request`; only of failures of its own. */
  readonly instance: string | null;

  constructor(
    problem: Partial<Omit<Problem, 'code'>> & { code?: ApiErrorCode },
    { status, retryAfter = null, cause }: { status: number; retryAfter?: number | null; cause?: unknown },
  ) {
    const said = problem.detail ?? problem.title ?? `The answer has the status ${status} and no description`;
    super(said, cause === undefined ? undefined : { cause });
    this.code = problem.code ?? 'unexpected';
    this.status = status;
    this.title = problem.title ?? 'Unexpected answer';
    this.remedy = problem.remedy ?? '';
    this.issues = problem.issues ?? [];
    this.retryAfter = retryAfter;
    this.instance = problem.instance ?? null;
  }
}

/** What an answer that is no success says. A proxy in between may answer something else than a problem. */
export async function errorIn(response: Response): Promise<CarillonApiError> {
  // A browser tells of a redirect only that it is one.
  if (response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400))
    return redirected(response);
  const text = await response.text().catch(() => '');
  return new CarillonApiError(isJson(response) ? problemIn(text) : {}, {
    status: response.status,
    retryAfter: secondsIn(response.headers.get('retry-after')),
  });
}

function redirected({ status, headers }: Response): CarillonApiError {
  const place = headers.get('location');
  const detail = `The address redirects${place === null ? '' : ` to ${place}`}`;
  const remedy = 'Set `baseUrl` to where it leads: `https://` and the whole name.';
  return new CarillonApiError({ title: 'Carillon is elsewhere', detail, remedy }, { status: status || 302 });
}

export function unreachable(cause: unknown, why = 'Carillon does not answer'): CarillonApiError {
  const remedy = 'Check `baseUrl`, and that `carillon up` or `carillon api` runs there.';
  return new CarillonApiError(
    { code: 'unreachable', title: 'Carillon does not answer', detail: why, remedy },
    { status: 0, cause },
  );
}

export function isJson({ headers }: Response): boolean {
  return /json/.test(headers.get('content-type') ?? '');
}

function problemIn(text: string): Partial<Problem> {
  try {
    return JSON.parse(text) as Partial<Problem>;
  } catch {
    return {};
  }
}

/** A proxy may name a date instead: then the usual wait holds. */
function secondsIn(header: string | null): number | null {
  const seconds = Number(header ?? '');
  return header !== null && header.trim() !== '' && Number.isFinite(seconds) && seconds >= 0 ? seconds : null;
}
