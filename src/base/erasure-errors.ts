/** The part of the catalogue of errors that is about people who were erased. */
export const erasureErrors = {
  'phone-erased': {
    title: 'The person with this phone number was erased and must not be called',
    remedy: 'Do not call it. If the person asks for calls again, run `carillon erase PHONE --lift`.',
    exit: 2,
    status: 409,
  },
  'erasures-differ': {
    title: 'People were erased under another CARILLON_SECRET, so this process cannot know whom not to call',
    remedy:
      'Set CARILLON_SECRET to the one under which they were erased, or restore the file "secret" in CARILLON_HOME, then restart. If it is lost for good: `carillon erase --forget-secret`.',
    exit: 2,
    status: 503,
  },
} as const;
