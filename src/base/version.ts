/** The version as code, so that it is at hand wherever the sources are run from; a test holds it to package.json. */
export const version = '0.1.0';
