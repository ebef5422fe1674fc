import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Whether a test can make certificates here; if not, it says what is missing. */
export function canMakeCertificates(what: string): boolean {
  if (spawnSync('openssl', ['version']).status === 0) return true;
  const line = `${what}: openssl is not on the PATH; install it (apt-get install openssl)`;
  if (process.env.CI_REQUIRE_ALL === '1') throw new Error(line);
  console.warn(`SKIPPED ${line}`);
  return false;
}

/** An authority of our own, and a certificate for 127.0.0.1 that it signed: files, gone after `remove`. */
export function makeCertificates() {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-certificates-'));
  const file = (name: string) => join(folder, name);
  const openssl = (...args: string[]) => {
    const { status, stderr, error } = spawnSync('openssl', args, { encoding: 'utf8' });
    if (status !== 0) throw new Error(`openssl ${args[0]}: ${error?.message ?? stderr}`);
  };
  const request = ['req', '-newkey', 'rsa:2048', '-nodes'];
  openssl(
    ...request,
    '-x509',
    '-days',
    '2',
    '-subj',
    '/CN=test',
    '-keyout',
    file('ca.key'),
    '-out',
    file('ca'),
  );
  openssl(...request, '-subj', '/CN=redis', '-keyout', file('key'), '-out', file('request'));
  writeFileSync(file('names'), 'subjectAltName=IP:127.0.0.1\n');
  const signer = ['-CA', file('ca'), '-CAkey', file('ca.key'), '-CAcreateserial', '-days', '2'];
  openssl('x509', '-req', '-in', file('request'), ...signer, '-extfile', file('names'), '-out', file('cert'));
  return {
    ca: file('ca'),
    /** As Redis takes them: in a file of settings by lines, else as arguments. */
    lines: [
      `tls-ca-cert-file ${file('ca')}`,
      `tls-cert-file ${file('cert')}`,
      `tls-key-file ${file('key')}`,
      'tls-auth-clients no',
    ],
    args: [
      ...['--tls-ca-cert-file', file('ca'), '--tls-cert-file', file('cert')],
      ...['--tls-key-file', file('key'), '--tls-auth-clients', 'no'],
    ],
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
