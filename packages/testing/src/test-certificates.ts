import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';

export type TestCertificates = { ca: string; cert: string; key: string };

/** An authority, and a certificate of it for 127.0.0.1 as server and client; paths of PEM files. */
export function createCertificates(folder: string): TestCertificates {
  const file = (name: string) => path.join(folder, name);
  const openssl = (...args: string[]) =>
    execFileSync('openssl', args, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const ca = ['-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=Test authority'];
  openssl('req', '-x509', ...newKey, ...ca, '-days', '1');
  openssl('req', ...newKey, '-keyout', 'server.key', '-out', 'server.csr', '-subj', '/CN=redis');
  writeFileSync(file('server.ext'), 'subjectAltName=IP:127.0.0.1');
  const signing = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '1'];
  const input = ['-in', 'server.csr', '-extfile', 'server.ext', '-out', 'server.pem'];
  openssl('x509', '-req', ...input, ...signing);
  return { ca: file('ca.pem'), cert: file('server.pem'), key: file('server.key') };
}
