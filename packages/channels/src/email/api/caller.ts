import type { Outcome } from '@belfry/shared';
import type { ConnectionTestResult, SenderDeps, SendResult, TestCall } from '../../channel';
import type { Http, HttpResponse } from '../../http';
import { classifyFailure, type NetworkFailure } from '../../network-failure';
import { parseJson, toRecord } from '../../read-json';
import { uniqueMailboxes } from '../address';
import { isOwnSender, type MailCall } from '../parties';
import { classifyAnswer, describeAnswer, readApiId, unreadable } from './answers';
import type { ApiIntegration, ApiRequest, MailApi } from './service';

/** Calls a service and reads its answers. */
export function createCaller(api: MailApi, { baseUrls }: SenderDeps, http: Http) {
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

/** An integration that was saved without all of its fields. */
export const incomplete = {
  outcome: 'rejected',
  scope: 'integration',
  reason: 'incomplete_integration',
  detail: 'The integration’s settings or credentials are incomplete.',
} as const;
