/** The version as code, so that it does not depend on where the sources run; a test compares it with package.json. */
export const version = '0.1.0';
