import type { AddressInfo } from 'node:net';
import { readBounceMail } from '@belfry/channels';
import { writeMailSignature } from '@belfry/database';
import { createStoreReports, findSender, storeReceipts } from '@belfry/pipeline/operate';
import { type BouncedMail, EnvError, readBounceAddress, type TestedMail } from '@belfry/runtime';
import type { SMTPServerDataStream, SMTPServerOptions } from 'smtp-server';
import type { RunningRole, Services } from './composition';

/** As for reports by HTTP. */
const maxMailBytes = 1_000_000;
const maxRecipients = 10;
const maxConnections = 100;
const idleMs = 60_000;
const closeMs = 2_000;

/** The role `bounces`: a mail server that takes only mail to bounce addresses of ours. */
export async function startBounces(services: Services): Promise<RunningRole> {
  const { env, log } = services;
  // Loaded here, because workers with other roles do not need it.
  const { SMTPServer } = require('smtp-server') as typeof import('smtp-server');
  const server = new SMTPServer(buildOptions(services));
  const address = { host: env.BOUNCES_HOST, port: env.BOUNCES_PORT };
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(address.port, address.host, resolve);
  }).catch((error: unknown) => {
    const problem = `cannot listen on ${address.host}:${address.port} (${String(error)})`;
    throw new EnvError([{ name: 'BOUNCES_PORT', problem, example: undefined }]);
  });
  // A broken connection concerns only its client.
  server.on('error', (error) => log.debug('bounces.connection_lost', { error }));
  const { port } = server.server.address() as AddressInfo;
  log.info('bounces.ready', { url: `smtp://${address.host}:${port}` });
  return {
    isStalled: () => false,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function buildOptions(services: Services): SMTPServerOptions {
  const store = createStoreMail(services);
  return {
    banner: 'Belfry',
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    logger: false,
    size: maxMailBytes,
    maxClients: maxConnections,
    socketTimeout: idleMs,
    closeTimeout: closeMs,
    onRcptTo({ address }, { envelope }, done) {
      if (!readBounceAddress(services.secrets, address))
        done(refusal(550, '5.1.1 No such address'));
      else if (envelope.rcptTo.length >= maxRecipients)
        done(refusal(452, '4.5.3 Too many recipients'));
      else done();
    },
    onData(stream, { envelope }, done) {
      readMail(stream)
        .then((mail) => {
          if (!mail) return done(refusal(552, `5.3.4 A mail may have ${maxMailBytes} bytes`));
          return store(
            envelope.rcptTo.map(({ address }) => address),
            mail,
          ).then(() => done());
        })
        .catch((error: unknown) => {
          services.log.warn('bounces.not_stored', { error });
          done(refusal(451, '4.3.0 Not stored. Try again later'));
        });
    },
  };
}

/** Stores the reports of a mail as those of the integration that sent the message. */
function createStoreMail({ database, secrets, log }: Services) {
  const pool = database.accepting;
  const storeReports = createStoreReports({
    storeReceipts: (receipts) => storeReceipts(pool, receipts),
    storeMailSignature: (result) => writeMailSignature(pool, result),
    secrets,
    log,
  });
  // The mail of a connection test is stored without the app.
  const findIntegration = (mail: BouncedMail | TestedMail) =>
    'messageId' in mail
      ? findSender(pool, mail.messageId)
      : { id: mail.testedIntegrationId, appId: '' };
  return async function storeMail(addresses: string[], rawBody: Buffer): Promise<void> {
    for (const address of addresses) {
      const bounced = readBounceAddress(secrets, address);
      const integration = bounced && (await findIntegration(bounced));
      if (!integration) continue;
      const url = `smtp://localhost/?to=${encodeURIComponent(address)}`;
      await storeReports({ integration, reports: await readBounceMail({ url, rawBody }), rawBody });
    }
  };
}

/** Undefined if the mail is too large; it is read to its end, as SMTP demands. */
async function readMail(stream: SMTPServerDataStream): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes <= maxMailBytes) chunks.push(chunk);
  }
  return bytes > maxMailBytes ? undefined : Buffer.concat(chunks);
}

function refusal(responseCode: number, text: string): Error {
  return Object.assign(new Error(text), { responseCode });
}
