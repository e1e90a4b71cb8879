import type { Outcome } from '@belfry/shared';
import { type TObject, type TProperties, type TSchema, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import type {
  ConnectionTestResult,
  DescribeCall,
  IntegrationInput,
  PreparedSend,
  Provider,
  ReceiptReader,
  Sender,
  SenderDeps,
  SendResult,
  TestCall,
  UnsentCall,
} from '../../channel';
import { createGuardedFetch } from '../../guarded-fetch';
import { createHttp, type Http, type HttpResponse } from '../../http';
import { classifyFailure, type NetworkFailure } from '../../network-failure';
import { parseJson, toRecord } from '../../read-json';
import { uniqueMailboxes } from '../address';
import { fetchAttachments } from '../attachments';
import { composeMime, describeMail } from '../mail';
import { isOwnSender, type MailCall, readMailSettings } from '../parties';
import { checkSenderSettings, senderSettings } from '../sender-settings';
import type { EmailContent } from '../template';
import {
  type ApiError,
  classifyAnswer,
  describeAnswer,
  type ErrorTable,
  readApiId,
  unreadable,
} from './answers';
import { composeFields, findLimitProblem, type MailFields, type MailLimits } from './mail-fields';

/** An e-mail service with an HTTP API. Each service is one value of this type. */
export type MailApi = ErrorTable & {
  /** Its key in the registry, and in the base URLs. */
  name: string;
  label: string;
  /** Besides the sender and the rate. */
  settings: TProperties;
  maxPerSecond: TSchema;
  credentials: TObject;
  /** Problems of credentials that the schema cannot express. */
  check?(credentials: ApiIntegration['credentials']): string[];
  limits: MailLimits;
  /** The service's own URL. Regions are enumerated: an operator never enters a URL. */
  getUrl(settings: Record<string, unknown>): string;
  getPath(settings: Record<string, unknown>): string;
  createCall(mail: ApiMail): ApiCall | Promise<ApiCall>;
  /** The headers that prove who calls. */
  authorize(request: ApiRequest, integration: ApiIntegration): Record<string, string>;
  /** The ID in an answer of success. */
  readId(body: Record<string, unknown>, response: HttpResponse): unknown;
  readError(body: Record<string, unknown>, response: HttpResponse): ApiError;
  /** Recipients that the service refused, in an answer that accepts the others. */
  listRefused?(body: Record<string, unknown>): string[];
  test: {
    createRequest(integration: ApiIntegration): Omit<ApiRequest, 'url'> & { path: string };
    /** The result as a sentence if the credentials work. Undefined: the error table decides. */
    read(answer: TestAnswer): string | ConnectionTestResult | undefined;
  };
  receipts: ReceiptReader;
};

export type ApiMail = MailFields & {
  settings: Record<string, unknown>;
  /** The whole mail with its headers, as SMTP sends it. */
  composeMime(): Promise<Buffer>;
};

export type ApiCall = { headers: Record<string, string>; body: string | Buffer };

export type ApiRequest = ApiCall & { method: 'GET' | 'POST'; url: string };

/** Checked against the schemas. */
export type ApiIntegration = {
  settings: Record<string, unknown> & { from: { address: string } };
  credentials: Record<string, string | undefined>;
};

export type TestAnswer = ApiIntegration & {
  status: number;
  body: Record<string, unknown>;
  error: ApiError;
};

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
    const mime = () => composeMime(mailCall, files);
    const created = await api.createCall({ ...fields, settings, composeMime: mime });
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

/** Calls a service and reads its answers. */
function createCaller(api: MailApi, { baseUrls }: SenderDeps, http: Http) {
  function call(
    { path, ...request }: Omit<ApiRequest, 'url'> & { path: string },
    integration: ApiIntegration,
    signal: AbortSignal,
  ): Promise<HttpResponse | NetworkFailure> {
    const url = `${baseUrls[api.name] ?? api.getUrl(integration.settings)}${path}`;
    const { method, body } = request;
    // Resend refuses calls without a User-Agent.
    const headers = { 'user-agent': 'belfry', accept: 'application/json', ...request.headers };
    const proof = api.authorize({ method, url, headers, body }, integration);
    return http.request({
      method,
      url,
      headers: { ...headers, ...proof },
      ...(method === 'GET' ? {} : { body }),
      signal,
    });
  }

  function readRefusal(response: HttpResponse, integration: ApiIntegration, isOwn: boolean) {
    const body = toRecord(parseJson(response.body)) ?? {};
    const error = api.readError(body, response);
    const outcome = classifyAnswer(response, error, { table: api, isOwnSender: isOwn });
    const secrets = listSecrets(integration);
    return { outcome, error, body, response: describeAnswer(response.status, error, { secrets }) };
  }

  function readSent(
    answer: HttpResponse | NetworkFailure,
    integration: ApiIntegration,
    call: MailCall,
  ): SendResult {
    if ('isWritten' in answer) return { outcome: classifyFailure(answer) };
    if (answer.status < 200 || answer.status >= 300) {
      const { outcome, response } = readRefusal(answer, integration, isOwnSender(call));
      return { outcome, response };
    }
    const body = toRecord(parseJson(answer.body)) ?? {};
    const id = readApiId(api.readId(body, answer));
    const secrets = listSecrets(integration);
    const response = describeAnswer(answer.status, {}, { id, secrets });
    if (id === undefined) return { outcome: unreadable, response };
    const refused = api.listRefused?.(body) ?? [];
    return { outcome: toAccepted(String(response['id']), refused, call), response };
  }

  async function test(
    { signal }: TestCall,
    integration: ApiIntegration | undefined,
  ): Promise<ConnectionTestResult> {
    if (!integration) return { isWorking: false, detail: incomplete.detail };
    const request = api.test.createRequest(integration);
    const answer = await call(request, integration, signal);
    if ('isWritten' in answer) return toFailedTest(classifyFailure(answer));
    const { outcome, error, body } = readRefusal(answer, integration, false);
    const result = api.test.read({ ...integration, status: answer.status, body, error });
    if (result === undefined) return toFailedTest(outcome);
    return typeof result === 'string' ? { isWorking: true, detail: result } : result;
  }

  return { call, readSent, test };
}

/** As with SMTP, a mail is accepted if its target is. Accepted copies of a refused target stay sent. */
function toAccepted(providerMessageId: string, refused: string[], { target }: MailCall): Outcome {
  if (uniqueMailboxes(refused).length > uniqueMailboxes(refused, [target]).length) {
    const detail = 'The service does not send to this address: it is on its own suppression list.';
    return { outcome: 'rejected', scope: 'recipient', reason: 'suppressed_there', detail };
  }
  const detail =
    refused.length > 0 ? { detail: `Copies were refused: ${refused.join(', ')}.` } : {};
  return { outcome: 'accepted', providerMessageId, ...detail };
}

function toFailedTest({ detail, reason }: { detail?: string; reason: string }) {
  return { isWorking: false, detail: detail ?? reason };
}

function listSecrets({ credentials }: ApiIntegration): string[] {
  return Object.values(credentials).filter((value) => value !== undefined);
}

const incomplete = {
  outcome: 'rejected',
  scope: 'integration',
  reason: 'incomplete_integration',
  detail: 'The integration’s settings or credentials are incomplete.',
} as const;
