import assert from 'node:assert/strict';
import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import type { Attack, Target } from './target';

/** A password whose end is easy to find in an answer. */
const smtpLogin = { user: 'belfry', pass: 'stored-smtp-password-Zq7x' };

export const credentialAttacks: Attack[] = [
  {
    kind: 'S3',
    title: 'a test with another host asks for the credential again, sends none, and is audited',
    async run(target) {
      await withMailServer(async ({ port, logins }) => {
        const integration = await createSmtp(target);
        const answer = await target.editor.send('POST', `${getIntegrationsPath(target)}/test`, {
          id: integration.id,
          channel: 'email',
          provider: 'smtp',
          credentials: {},
          settings: { ...smtpSettings, port },
        });
        assert.equal(answer.status, 422, answer.text);
        assert.match(answer.text, /credentials/);
        assert.deepEqual(logins, []);
      });
    },
  },
  {
    kind: 'S3',
    title: 'a change of the host is not saved with the stored credential',
    async run(target) {
      const { id, updatedAt } = await createSmtp(target);
      const at = `${getIntegrationsPath(target)}/${id}`;
      for (const settings of [
        { ...smtpSettings, port: smtpSettings.port + 1 },
        { ...smtpSettings, host: 'mx.attacker.example', port: 587 },
        { ...smtpSettings, require_tls: true },
      ]) {
        const answer = await target.editor.send('PUT', at, { updatedAt, settings });
        assert.equal(answer.status, 422, answer.text);
        assert.match(answer.text, /credentials/);
      }
      assert.deepEqual((await target.owner.sendOk('GET', at)).settings, smtpSettings);
    },
  },
  {
    kind: 'S3',
    title: 'each connection test is in the audit log',
    async run(target) {
      const { id, name } = await createSmtp(target);
      const count = async () => {
        const { entries } = await target.owner.sendOk('GET', '/api/audit');
        const isTest = ({ action, subject }: { action: string; subject: string }) =>
          /^integration\..*test/.test(action) && [id, name].includes(subject);
        return entries.filter(isTest).length;
      };
      const before = await count();
      await target.editor.send('POST', `${getIntegrationsPath(target)}/${id}/test`, {});
      assert.equal(await count(), before + 1);
    },
  },
  {
    kind: 'section 2',
    title: 'a viewer sees no character of a stored password',
    async run(target) {
      await createSmtp(target);
      const { text } = await target.viewer.send('GET', getIntegrationsPath(target));
      assert.ok(text.includes('smtp'), text.slice(0, 300));
      assert.ok(!text.includes(smtpLogin.pass.slice(-4)));
    },
  },
];

/** Nothing listens there. */
const smtpSettings = {
  host: '127.0.0.1',
  port: 2,
  require_tls: false,
  from: { address: 'notify@example.com' },
};

function getIntegrationsPath({ local }: Target): string {
  return `/api/apps/${local.ready.app_id}/integrations`;
}

let created = 0;

function createSmtp(target: Target) {
  created += 1;
  return target.owner.sendOk('POST', getIntegrationsPath(target), {
    channel: 'email',
    provider: 'smtp',
    name: `smtp-${created}`,
    settings: smtpSettings,
    credentials: smtpLogin,
  });
}

type MailServer = { port: number; logins: string[] };

/** Accepts and records every AUTH. */
async function withMailServer(use: (server: MailServer) => Promise<void>): Promise<void> {
  const logins: string[] = [];
  const server = net.createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.write('220 attacker\r\n');
    createInterface({ input: socket }).on('line', (line) => {
      if (/^AUTH/i.test(line)) logins.push(line);
      socket.write(/^EHLO/i.test(line) ? '250-attacker\r\n250 AUTH PLAIN LOGIN\r\n' : '235 ok\r\n');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    await use({ port: (server.address() as AddressInfo).port, logins });
  } finally {
    server.close();
  }
}
