/** The part of the catalogue of errors that is about imports and acts on many people. */
export const workErrors = {
  'import-unknown': {
    title: 'This import was not found',
    remedy: 'List them with GET /api/imports; one that ended is kept for 30 days.',
    exit: 2,
    status: 404,
  },
} as const;
