/** The part of the catalogue of errors that is about imports and acts on many people. */
export const workErrors = {
  'import-unknown': {
    title: 'This import was not found',
    remedy: 'List them with GET /api/imports; one that ended is kept for 30 days.',
    exit: 2,
    status: 404,
  },
  'list-gone': {
    title: 'This list is not kept any more',
    remedy: 'Send it again with the same id; it is kept for 15 minutes after each use.',
    exit: 2,
    status: 404,
  },
  'bulk-unknown': {
    title: 'This bulk act was not found',
    remedy: 'List them with `carillon bulk list`; one that ended is kept for 90 days.',
    exit: 2,
    status: 404,
  },
  'bulk-more': {
    title: 'The filter finds more people than were confirmed',
    remedy: 'Count them again with a dry run, and confirm that number.',
    exit: 2,
    status: 409,
  },
  'bulk-no-result': {
    title: 'This bulk act has no rows to read',
    remedy: 'Only an export has rows, for seven days. Begin another one.',
    exit: 2,
    status: 409,
  },
} as const;
