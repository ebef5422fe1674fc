/** The part of the catalogue of errors that is about who may ask: tokens, their roles, and how often they ask. */
export const accessErrors = {
  unauthorized: {
    title: 'The request has no valid token',
    remedy: 'Send `Authorization: Bearer <token>`, with API_TOKEN or a token of `carillon token create`.',
    exit: 2,
    status: 401,
  },
  forbidden: {
    title: 'The request is not allowed',
    remedy: 'Call the API from loopback with a JSON body, or set API_TOKEN.',
    exit: 2,
    status: 403,
  },
  'too-many-requests': {
    title: 'This token sends too many requests',
    remedy: 'Wait as long as Retry-After says, then send it again.',
    exit: 2,
    status: 429,
  },
  'token-exists': {
    title: 'A token with this name already exists',
    remedy: 'Give another name, or revoke that token first with `carillon token revoke`.',
    exit: 2,
    status: 409,
  },
  'token-unknown': {
    title: 'The token was not found',
    remedy: 'Run `carillon token list` to see the names.',
    exit: 2,
    status: 404,
  },
} as const;
