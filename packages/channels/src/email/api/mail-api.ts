import { type TObject, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import type {
  DescribeCall,
  IntegrationInput,
  PreparedSend,
  Provider,
  Sender,
  SenderDeps,
  SendResult,
  UnsentCall,
} from '../../channel';
import { createGuardedFetch } from '../../guarded-fetch';
import { createHttp } from '../../http';
import { fetchAttachments } from '../attachments';
import { composeMime, describeMail } from '../mail';
import { type MailCall, readMailSettings } from '../parties';
import { checkSenderSettings, senderSettings } from '../sender-settings';
import type { EmailContent } from '../template';
import { createCaller, incomplete } from './caller';
import { composeFields, findLimitProblem } from './mail-fields';
import type { ApiIntegration, MailApi } from './service';

export function createMailApi(api: MailApi): Provider<EmailContent> {
  const settings = Type.Object({
    ...api.settings,
    ...senderSettings,
    max_per_second: api.maxPerSecond,
  });
  const read = createReader(settings, api.credentials);
  return {
    label: api.label,
    settings,
    credentials: api.credentials,
    // A mail's headers and parts are fields of the override itself.
    payload: Type.Object({}),
    check: (input) => checkMailApi(api, read(input)),
    describe: (call) => ({
      operation: formatOperation(api, call.settings),
      body: describeMail(toMailCall(call)),
    }),
    createSender: (deps) => createMailApiSender(api, deps, read),
    receipts: api.receipts,
  };
}

type ReadIntegration = (input: IntegrationInput) => ApiIntegration | undefined;

/** The integration, or undefined when it was saved incomplete. */
function createReader(settingsSchema: TObject, credentialsSchema: TObject): ReadIntegration {
  return function read({ settings, credentials }) {
    const isWhole =
      Value.Check(settingsSchema, settings) && Value.Check(credentialsSchema, credentials);
    // Checked: the settings have a sender, and every credential is a text.
    return isWhole ? ({ settings, credentials } as unknown as ApiIntegration) : undefined;
  };
}

/** Problems that the schemas cannot express. */
function checkMailApi(api: MailApi, integration: ApiIntegration | undefined): string[] {
  if (!integration) return ['settings are incomplete'];
  const unsafe = Object.entries(integration.credentials).filter(
    ([, value]) => value !== undefined && !headerSafe.test(value),
  );
  return [
    // Checked against the schema.
    ...checkSenderSettings(integration.settings as never),
    ...(api.check?.(integration.credentials) ?? []),
    ...unsafe.map(([name]) => `${name} must not have spaces or line breaks`),
  ];
}

/** Characters that a header value may have. */
const headerSafe = /^[\x21-\x7e]*$/;

function toMailCall(call: DescribeCall<EmailContent>): MailCall {
  return { ...call, settings: readMailSettings(call.settings) };
}

function formatOperation(api: MailApi, settings: Record<string, unknown>): string {
  return `POST ${api.getUrl(settings)}${api.getPath(settings)}`;
}

function createMailApiSender(
  api: MailApi,
  deps: SenderDeps,
  read: ReadIntegration,
): Sender<EmailContent> {
  const http = createHttp();
  const guardedFetch = createGuardedFetch(deps);
  const caller = createCaller(api, deps, http);

  async function prepare(
    call: UnsentCall<EmailContent>,
    signal: AbortSignal,
  ): Promise<PreparedSend | SendResult> {
    const integration = read(call);
    if (!integration) return { outcome: incomplete };
    const mailCall = toMailCall(call);
    const files = await fetchAttachments(call.content.attachments, guardedFetch, signal);
    if ('outcome' in files) return { outcome: files };
    const fields = composeFields(mailCall, files);
    const problem = findLimitProblem(fields, api.limits, mailCall);
    if (problem) return { outcome: problem };
    const { settings } = integration;
    const created = await api.createCall({
      ...fields,
      settings,
      composeMime: () => composeMime(mailCall, files),
    });
    const body = describeMail(mailCall, undefined, files);
    const request = { operation: formatOperation(api, settings), body };
    const path = api.getPath(settings);
    return {
      async send({ signal: deadline }) {
        const answer = await caller.call(
          { ...created, method: 'POST', path },
          integration,
          deadline,
        );
        return { ...caller.readSent(answer, integration, mailCall), request };
      },
      release: () => undefined,
    };
  }

  return {
    prepare,
    async send(call) {
      const prepared = await prepare(call, call.signal);
      return 'outcome' in prepared ? prepared : prepared.send(call);
    },
    test: (call) => caller.test(call, read(call)),
    async close() {
      http.close();
      guardedFetch.close();
    },
  };
}
