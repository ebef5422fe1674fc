/** The part of the catalogue of errors that is about a request as such. */
export const httpErrors = {
  'body-type': {
    title: 'The content type of the body is not supported here',
    remedy:
      'Send JSON with `Content-Type: application/json`; recipients may also be application/x-ndjson or text/csv.',
    exit: 2,
    status: 415,
  },
  'body-too-large': {
    title: 'The body is larger than 1 MB',
    remedy: 'Send long lists to POST /api/campaigns/{id}/recipients, which accepts any length.',
    exit: 2,
    status: 413,
  },
  'method-unknown': {
    title: 'The address does not take this method',
    remedy: 'Use one of the methods in the answer’s `Allow` header.',
    exit: 2,
    status: 405,
  },
  'route-unknown': {
    title: 'There is nothing at this address',
    remedy: 'Check the method and the path at /api/docs.',
    exit: 2,
    status: 404,
  },
  'too-many-readers': {
    title: 'This process has as many readers of events as it takes',
    remedy: 'Wait as long as Retry-After says, ask another process, or close readers that are not needed.',
    exit: 2,
    status: 503,
  },
  'request-in-progress': {
    title: 'The same request is still being worked at',
    remedy: 'Wait as long as Retry-After says, then send it again, with the same Idempotency-Key.',
    exit: 2,
    status: 409,
  },
  'version-changed': {
    title: 'What is to be changed was changed after it was read',
    remedy: 'Read it again, and send the change with the ETag of that answer.',
    exit: 2,
    status: 412,
  },
} as const;
