import { unwritable } from '../base/disk-errors.ts';
import { errorLine } from '../base/errors.ts';
import { runLine } from './program.ts';

const { stdin, stdout, stderr, env } = process;
// A reader that stops reading (`| head`) is not an error.
for (const stream of [stdout, stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
  });
}
// Does not reject: every error becomes one line and an exit code.
void runLine(process.argv.slice(2), { stdin, stdout, stderr, env, cwd: process.cwd() }).then((code) => {
  process.exitCode = code;
  // A part that could not be closed in time (a queue whose server is gone) must not hold the process, but a slow reader
  // must still get all output.
  stdout.write('', () => {
    const last = code === 0 && isUnprinted() ? 1 : code;
    process.exitCode = last;
    setTimeout(() => process.exit(last), 500).unref();
  });
});

/** A full disk, perhaps. The work was done, but anyone who reads the output later must know. */
function isUnprinted(): boolean {
  const error = stdout.errored as NodeJS.ErrnoException | null;
  if (!error || error.code === 'EPIPE') return false;
  stderr.write(`carillon: ${errorLine(unwritable('Standard output', error))}\n`);
  return true;
}
