import { spawnSync } from 'node:child_process';

/** Whether Prometheus's own checks can run here. Skipped tests are printed; with CI_REQUIRE_ALL=1 that is a failure. */
export function canUsePromtool(what: string): boolean {
  if (spawnSync('promtool', ['--version']).status === 0) return true;
  const line = `${what}: promtool is not on the PATH; install it (apt-get install prometheus, brew install prometheus)`;
  if (process.env.CI_REQUIRE_ALL === '1') throw new Error(line);
  console.warn(`SKIPPED ${line}`);
  return false;
}

/** The faults that promtool finds; empty when there are none. */
export function promtool(args: readonly string[], input = ''): string {
  const { status, stdout, stderr } = spawnSync('promtool', ['check', ...args], { input, encoding: 'utf8' });
  return status === 0 && stderr === '' ? '' : `${status} ${stdout}${stderr}`;
}
