import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { eventually } from './eventually';

/** A real mail server with its own folder, on loopback. */
export type MailServer = { stop(): Promise<void> };

const run = promisify(execFile);
const isRoot = process.getuid?.() === 0;

/** Undefined where it is not installed, or where it cannot start because the tests do not run as root. */
export const postfixPath = findProgram('/usr/sbin/postfix', '/usr/bin/curl');
export const eximPath = findProgram(process.env['EXIM_PATH'] ?? '/usr/sbin/exim4');

function findProgram(program: string, ...others: string[]): string | undefined {
  return isRoot && [program, ...others].every(existsSync) ? program : undefined;
}

/** The ports of the server and of the one that it relays to, and where mail to bounces.example.com goes. */
type Routes<Bounces> = { port: number; nextHopPort: number; bounces: Bounces };

/** Postfix passes bounces on by HTTP, as docs/how-to/receive-bounces.md says. */
export async function startPostfix({
  port,
  nextHopPort,
  bounces: { url },
}: Routes<{ url: string }>): Promise<MailServer> {
  const folder = createFolder('postfix', 'etc', 'spool', 'data');
  const config = path.join(folder, 'etc');
  writeFileSync(
    path.join(config, 'main.cf'),
    `compatibility_level = 3.6
queue_directory = ${folder}/spool
data_directory = ${folder}/data
maillog_file = ${folder}/maillog
maillog_file_prefixes = ${folder}
myhostname = mx.example.net
mydestination =
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
mynetworks = 127.0.0.0/8
smtpd_relay_restrictions = permit_mynetworks, reject
relay_domains = bounces.example.com
transport_maps = inline:{ { bounces.example.com = belfry: }, { example.org = smtp:[127.0.0.1]:${nextHopPort} } }
smtp_tls_security_level = none
default_database_type = hash
alias_maps =
`,
  );
  writeFileSync(
    path.join(config, 'master.cf'),
    `127.0.0.1:${port} inet n - n - - smtpd
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
rewrite unix - - n - - trivial-rewrite
proxymap unix - - n - - proxymap
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
smtp unix - - n - - smtp
retry unix - - n - - error
error unix - - n - - error
postlog unix-dgram n - n - 1 postlogd
belfry unix - n n - 10 pipe
  flags=DRX user=nobody argv=/usr/bin/curl --silent --show-error --fail-with-body --max-time 20
  --data-binary @- --header Content-Type:message/rfc822 ${url}?to=\${recipient}
`,
  );
  await run('chown', ['postfix', `${folder}/data`]);
  const server = spawn(String(postfixPath), ['-c', config, 'start-fg'], { stdio: 'ignore' });
  return waitForServer({ server, port, folder }, async () => {
    await run(String(postfixPath), ['-c', config, 'stop']).catch(() => undefined);
  });
}

/** Exim passes bounces on by SMTP, to the worker role `bounces`. */
export async function startExim({
  port,
  nextHopPort,
  bounces,
}: Routes<{ port: number }>): Promise<MailServer> {
  const folder = createFolder('exim', 'spool');
  const config = path.join(folder, 'exim.conf');
  writeFileSync(
    config,
    `primary_hostname = mx2.example.net
exim_path = ${eximPath}
exim_user = Debian-exim
exim_group = Debian-exim
spool_directory = ${folder}/spool
log_file_path = ${folder}/spool/%slog
local_interfaces = 127.0.0.1
daemon_smtp_ports = ${port}
pid_file_path = ${folder}/spool/exim.pid
keep_environment =
dsn_advertise_hosts = *
acl_smtp_rcpt = accept
acl_smtp_data = accept
tls_advertise_hosts =
begin routers
bounces:
  driver = manualroute
  domains = bounces.example.com
  transport = to_bounces
  route_list = * 127.0.0.1 byname
  self = send
others:
  driver = manualroute
  transport = to_next_hop
  route_list = * 127.0.0.1 byname
  self = send
begin transports
to_next_hop:
  driver = smtp
  port = ${nextHopPort}
  allow_localhost
  hosts_avoid_tls = *
to_bounces:
  driver = smtp
  port = ${bounces.port}
  allow_localhost
  hosts_avoid_tls = *
begin retry
* * F,2h,1m
`,
  );
  await run('chown', ['Debian-exim:Debian-exim', `${folder}/spool`]);
  const server = spawn(String(eximPath), ['-C', config, '-bdf'], { stdio: 'ignore' });
  return waitForServer({ server, port, folder }, async () => {
    server.kill('SIGTERM');
  });
}

/** The servers run as users of their own, so not in the closed folder of the test run. */
function createFolder(name: string, ...children: string[]): string {
  const folder = mkdtempSync(path.join(tmpdir(), `belfry-${name}-`));
  chmodSync(folder, 0o755);
  for (const child of children) mkdirSync(path.join(folder, child));
  return folder;
}

type Started = { server: ChildProcess; port: number; folder: string };

async function waitForServer(
  { server, port, folder }: Started,
  end: () => Promise<void>,
): Promise<MailServer> {
  const ended = once(server, 'exit');
  async function stop(): Promise<void> {
    await end();
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }
  try {
    await eventually(() => readGreeting(port), { timeoutMs: 30_000 });
  } catch (error) {
    await stop();
    throw error;
  }
  return { stop };
}

async function readGreeting(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'data', { signal: AbortSignal.timeout(2_000) });
  } finally {
    socket.destroy();
  }
}
