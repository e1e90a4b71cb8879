import type { AppAnswer, AppChangeBody, AppListAnswer, NewAppBody } from '../api/apps';
import type { AuditAnswer } from '../api/audit';
import type { CaptureAnswer, CaptureListAnswer, RemoveCapturesAnswer } from '../api/captures';
import type {
  CheckDraftAnswer,
  Definition,
  DraftAnswer,
  EventAnswer,
  EventListAnswer,
  FoundVersionAnswer,
  PublishBody,
  RollBackBody,
  VariablesAnswer,
  VersionListAnswer,
} from '../api/events';
import type { FindAnswer } from '../api/find';
import type {
  IntegrationAnswer,
  IntegrationChangeBody,
  IntegrationListAnswer,
  NewIntegrationBody,
  SlackInstallAnswer,
  TestConnectionAnswer,
  TestConnectionBody,
} from '../api/integrations';
import type { EndKeyBody, KeyListAnswer, ShowKeyAnswer } from '../api/keys';
import type { LogAnswer } from '../api/log';
import type { ChangeRoleBody, InviteAnswer, InviteBody, PeopleAnswer } from '../api/people';
import type { PreviewAnswer, PreviewBody, SampleAnswer } from '../api/preview';
import type { Problem, ProblemCode } from '../api/problem';
import type { ChannelPauseAnswer, QueuesAnswer, StatusAnswer } from '../api/queues';
import type { RegistryAnswer } from '../api/registry';
import type { ExplanationAnswer, RequestAnswer, ResendAnswer } from '../api/requests';
import type {
  ResendCountAnswer,
  ResendListAnswer,
  ResendRunAnswer,
  StartResendBody,
} from '../api/resends';
import type {
  NewSavedFilterBody,
  SavedFilterChangeBody,
  SavedFilterListAnswer,
} from '../api/saved-filters';
import type {
  Done,
  PasswordBody,
  SessionAnswer,
  SessionListAnswer,
  SetUpBody,
  SetUpLookAnswer,
  SignInBody,
} from '../api/session';
import type {
  CallExampleAnswer,
  CallExampleBody,
  TestSendAnswer,
  TestSendBody,
} from '../api/test-send';
import type {
  ErasureListAnswer,
  ErasureRow,
  NewSuppressionBody,
  SuppressionListAnswer,
  SuppressionRow,
  UserAnswer,
  UserListAnswer,
} from '../api/users';
import { clock } from './format';

/** An error answer of the server, or a failed connection. */
export type PageProblem = Omit<Partial<Problem>, 'code'> & {
  error: string;
  code: ProblemCode | 'unreachable';
};
export type Answer<T> = { value: T } | { problem: PageProblem };
export type Api = ReturnType<typeof createApi>;

type ApiDeps = { root: URL; fetch: typeof fetch; onSignedOut: () => void };
type RequestFn = <T>(method: string, path: string, body?: unknown) => Promise<Answer<T>>;

const answerTimeoutMs = 30_000;
const unreachable: PageProblem = {
  code: 'unreachable',
  error: 'The dashboard server does not answer. Accepted messages are safe.',
};

/** The only caller of the server. Every path is relative to the base URL of the page. */
export function createApi(deps: ApiDeps) {
  const request = createRequestFn(deps);
  return {
    ...sessionCalls(request),
    ...accountCalls(request),
    ...peopleCalls(request),
    ...userCalls(request),
    ...integrationCalls(request),
    ...eventCalls(request),
    ...draftCalls(request),
    ...logCalls(request),
    ...captureCalls(request),
    ...savedFilterCalls(request),
    ...resendCalls(request),
    getUrl: (path: string) => new URL(path, deps.root).href,
  };
}

function createRequestFn({ root, fetch, onSignedOut }: ApiDeps): RequestFn {
  return async function request<T>(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<Answer<T>> {
    try {
      const response = await fetch(new URL(path, root), {
        method,
        credentials: 'same-origin',
        signal: AbortSignal.timeout(answerTimeoutMs),
        headers: {
          Accept: 'application/json',
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const read: unknown = await response.json();
      // The server builds its answers from the same types in src/api.
      if (response.ok) return { value: read as T };
      const problem = read as Problem;
      if (problem.code === 'signed_out') onSignedOut();
      return { problem: addRetryTime(problem, response) };
    } catch {
      return { problem: unreachable };
    }
  };
}

/** Replaces the wait in seconds by the local time of the next attempt. */
function addRetryTime(problem: Problem, { headers }: Response): Problem {
  const seconds = Number(headers.get('Retry-After'));
  if (problem.code !== 'too_many_tries' || !(seconds > 0)) return problem;
  const at = clock(Date.now() + seconds * 1_000);
  return { ...problem, error: `Too many attempts. Try again at ${at}.` };
}

const id = encodeURIComponent;
const getAppPath = (appId: string) => `api/apps/${id(appId)}`;
const getEventPath = (appId: string, eventId: string) =>
  `${getAppPath(appId)}/events/${id(eventId)}`;

function sessionCalls(request: RequestFn) {
  return {
    readSession: () => request<SessionAnswer>('GET', 'api/session'),
    signIn: (body: SignInBody) => request<SessionAnswer>('POST', 'api/session', body),
    signOut: () => request<Done>('DELETE', 'api/session'),
    lookAtSetUp: (token: string) => request<SetUpLookAnswer>('POST', 'api/set-up/look', { token }),
    setUp: (body: SetUpBody) => request<SessionAnswer>('POST', 'api/set-up', body),
    listSessions: () => request<SessionListAnswer>('GET', 'api/sessions'),
    endSession: (sessionId: string) => request<Done>('DELETE', `api/sessions/${id(sessionId)}`),
    changePassword: (body: PasswordBody) => request<Done>('PUT', 'api/password', body),
    readRegistry: () => request<RegistryAnswer>('GET', 'api/registry'),
    readStatus: () => request<StatusAnswer>('GET', 'api/status'),
  };
}

function accountCalls(request: RequestFn) {
  return {
    listKeys: () => request<KeyListAnswer>('GET', 'api/keys'),
    createKey: (password: string) => request<ShowKeyAnswer>('POST', 'api/keys', { password }),
    showKey: (keyId: string, password: string) =>
      request<ShowKeyAnswer>('POST', `api/keys/${id(keyId)}/show`, { password }),
    endKey: (keyId: string, body: EndKeyBody) =>
      request<KeyListAnswer>('POST', `api/keys/${id(keyId)}/end`, body),
    listApps: () => request<AppListAnswer>('GET', 'api/apps'),
    createApp: (body: NewAppBody) => request<AppAnswer>('POST', 'api/apps', body),
    changeApp: (appId: string, body: AppChangeBody) =>
      request<AppAnswer>('PATCH', getAppPath(appId), body),
    removeApp: (appId: string, confirmName: string) =>
      request<Done>('DELETE', getAppPath(appId), { confirmName }),
    listAudit: (before?: string) =>
      request<AuditAnswer>('GET', `api/audit${before ? `?before=${id(before)}` : ''}`),
  };
}

function peopleCalls(request: RequestFn) {
  const one = (personId: string) => `api/people/${id(personId)}`;
  return {
    listPeople: () => request<PeopleAnswer>('GET', 'api/people'),
    invite: (body: InviteBody) => request<InviteAnswer>('POST', 'api/people/invitations', body),
    revokeInvitation: (invitationId: string) =>
      request<PeopleAnswer>('DELETE', `api/people/invitations/${id(invitationId)}`),
    changeRole: (personId: string, body: ChangeRoleBody) =>
      request<PeopleAnswer>('PATCH', one(personId), body),
    removePerson: (personId: string, password: string) =>
      request<PeopleAnswer | Done>('DELETE', one(personId), { password }),
  };
}

function userCalls(request: RequestFn) {
  const users = (appId: string) => `${getAppPath(appId)}/users`;
  const suppressions = (appId: string) => `${getAppPath(appId)}/suppressions`;
  return {
    listUsers: (appId: string, query: string) =>
      request<UserListAnswer>('GET', `${users(appId)}${query ? `?${query}` : ''}`),
    readUser: (appId: string, sid: string) =>
      request<UserAnswer>('GET', `${users(appId)}/${id(sid)}`),
    eraseUser: (appId: string, sid: string, confirmUserId: string) =>
      request<ErasureRow>('DELETE', `${users(appId)}/${id(sid)}`, { confirmUserId }),
    listErasures: (appId: string) =>
      request<ErasureListAnswer>('GET', `${getAppPath(appId)}/erasures`),
    listSuppressions: (appId: string, query: string) =>
      request<SuppressionListAnswer>('GET', `${suppressions(appId)}${query ? `?${query}` : ''}`),
    suppress: (appId: string, body: NewSuppressionBody) =>
      request<SuppressionRow>('POST', suppressions(appId), body),
    allow: (appId: string, suppressionId: string) =>
      request<Done>('DELETE', `${suppressions(appId)}/${id(suppressionId)}`),
  };
}

function integrationCalls(request: RequestFn) {
  const all = (appId: string) => `${getAppPath(appId)}/integrations`;
  const one = (appId: string, integrationId: string) => `${all(appId)}/${id(integrationId)}`;
  return {
    listIntegrations: (appId: string) => request<IntegrationListAnswer>('GET', all(appId)),
    createIntegration: (appId: string, body: NewIntegrationBody) =>
      request<IntegrationAnswer>('POST', all(appId), body),
    changeIntegration: (appId: string, integrationId: string, body: IntegrationChangeBody) =>
      request<IntegrationAnswer>('PUT', one(appId, integrationId), body),
    testConnection: (appId: string, body: TestConnectionBody) =>
      request<TestConnectionAnswer>('POST', `${all(appId)}/test`, body),
    testStored: (appId: string, integrationId: string) =>
      request<TestConnectionAnswer>('POST', `${one(appId, integrationId)}/test`),
    beginSlackInstall: (appId: string, integrationId: string) =>
      request<SlackInstallAnswer>('POST', `${one(appId, integrationId)}/slack-install`),
    setIntegrationPaused: (appId: string, integrationId: string, isPaused: boolean) =>
      request<IntegrationAnswer>(
        'POST',
        `${one(appId, integrationId)}/${isPaused ? 'pause' : 'resume'}`,
      ),
    removeIntegration: (appId: string, integrationId: string, confirm: boolean) =>
      request<Done>('DELETE', one(appId, integrationId), { confirm }),
  };
}

function eventCalls(request: RequestFn) {
  return {
    listEvents: (appId: string) => request<EventListAnswer>('GET', `${getAppPath(appId)}/events`),
    createEvent: (appId: string, name: string) =>
      request<EventAnswer>('POST', `${getAppPath(appId)}/events`, { name }),
    readEvent: (appId: string, eventId: string) =>
      request<EventAnswer>('GET', getEventPath(appId, eventId)),
    renameEvent: (appId: string, eventId: string, name: string, confirm: boolean) =>
      request<EventAnswer>('PATCH', getEventPath(appId, eventId), { name, confirm }),
    removeEvent: (appId: string, eventId: string, confirmName: string) =>
      request<Done>('DELETE', getEventPath(appId, eventId), { confirmName }),
    listVersions: (appId: string, eventId: string, before?: number) =>
      request<VersionListAnswer>(
        'GET',
        `${getEventPath(appId, eventId)}/versions${before === undefined ? '' : `?before=${before}`}`,
      ),
    readVersion: (appId: string, eventId: string, versionId: string) =>
      request<FoundVersionAnswer>(
        'GET',
        `${getEventPath(appId, eventId)}/versions/${id(versionId)}`,
      ),
    restoreVersion: (appId: string, eventId: string, versionId: string, basedOn: number) =>
      request<EventAnswer>(
        'POST',
        `${getEventPath(appId, eventId)}/versions/${id(versionId)}/restore`,
        {
          basedOn,
        },
      ),
  };
}

function draftCalls(request: RequestFn) {
  return {
    saveDraft: (appId: string, eventId: string, basedOn: number, definition: Definition) =>
      request<DraftAnswer>('PUT', `${getEventPath(appId, eventId)}/draft`, { basedOn, definition }),
    checkDraft: (appId: string, eventId: string, definition: Definition) =>
      request<CheckDraftAnswer>('POST', `${getEventPath(appId, eventId)}/check`, { definition }),
    compareVariables: (appId: string, eventId: string, definition: Definition) =>
      request<VariablesAnswer>('POST', `${getEventPath(appId, eventId)}/variables`, { definition }),
    publish: (appId: string, eventId: string, body: PublishBody) =>
      request<EventAnswer>('POST', `${getEventPath(appId, eventId)}/publish`, body),
    rollBack: (appId: string, eventId: string, versionId: string, body: RollBackBody) =>
      request<EventAnswer>(
        'POST',
        `${getEventPath(appId, eventId)}/versions/${id(versionId)}/roll-back`,
        body,
      ),
    discardDraft: (appId: string, eventId: string, basedOn: number) =>
      request<EventAnswer>('POST', `${getEventPath(appId, eventId)}/discard`, { basedOn }),
    readSample: (appId: string, eventId: string) =>
      request<SampleAnswer>('GET', `${getEventPath(appId, eventId)}/sample`),
    preview: (appId: string, eventId: string, body: PreviewBody) =>
      request<PreviewAnswer>('POST', `${getEventPath(appId, eventId)}/preview`, body),
    testSend: (appId: string, eventId: string, body: TestSendBody) =>
      request<TestSendAnswer>('POST', `${getEventPath(appId, eventId)}/test`, body),
    callExample: (appId: string, eventId: string, body: CallExampleBody) =>
      request<CallExampleAnswer>('POST', `${getEventPath(appId, eventId)}/call-example`, body),
  };
}

function logCalls(request: RequestFn) {
  return {
    listLog: (appId: string, query: string) =>
      request<LogAnswer>('GET', `${getAppPath(appId)}/log${query ? `?${query}` : ''}`),
    liveLogPath: (appId: string, query: string) =>
      `${getAppPath(appId)}/log/live${query ? `?${query}` : ''}`,
    readRequest: (appId: string, requestId: string, item: number) =>
      request<RequestAnswer>('GET', `${getAppPath(appId)}/requests/${id(requestId)}?item=${item}`),
    resend: (appId: string, messageId: string, confirm: boolean) =>
      request<ResendAnswer>('POST', `${getAppPath(appId)}/messages/${id(messageId)}/resend`, {
        confirm,
      }),
    cancel: (appId: string, messageId: string) =>
      request<Done>('POST', `${getAppPath(appId)}/messages/${id(messageId)}/cancel`),
    readQueues: (appId: string | undefined) =>
      request<QueuesAnswer>('GET', `api/queues${appId ? `?app=${id(appId)}` : ''}`),
    setChannelPaused: (appId: string, channel: string, isPaused: boolean) =>
      request<ChannelPauseAnswer>(
        'POST',
        `${getAppPath(appId)}/channels/${id(channel)}/${isPaused ? 'pause' : 'resume'}`,
      ),
  };
}

function captureCalls(request: RequestFn) {
  const all = (appId: string) => `${getAppPath(appId)}/captures`;
  const one = (appId: string, captureId: string) => `${all(appId)}/${id(captureId)}`;
  return {
    listCaptures: (appId: string, query: string) =>
      request<CaptureListAnswer>('GET', `${all(appId)}${query ? `?${query}` : ''}`),
    readCapture: (appId: string, captureId: string) =>
      request<CaptureAnswer>('GET', one(appId, captureId)),
    removeCapture: (appId: string, captureId: string) =>
      request<Done>('DELETE', one(appId, captureId)),
    removeCaptures: (appId: string) =>
      request<RemoveCapturesAnswer>('DELETE', all(appId), { confirm: true }),
  };
}

function savedFilterCalls(request: RequestFn) {
  const all = (appId: string) => `${getAppPath(appId)}/filters`;
  return {
    listSavedFilters: (appId: string) => request<SavedFilterListAnswer>('GET', all(appId)),
    saveFilter: (appId: string, body: NewSavedFilterBody) =>
      request<SavedFilterListAnswer>('POST', all(appId), body),
    changeSavedFilter: (appId: string, filterId: string, body: SavedFilterChangeBody) =>
      request<SavedFilterListAnswer>('PATCH', `${all(appId)}/${id(filterId)}`, body),
    removeSavedFilter: (appId: string, filterId: string) =>
      request<SavedFilterListAnswer>('DELETE', `${all(appId)}/${id(filterId)}`),
  };
}

function resendCalls(request: RequestFn) {
  const all = (appId: string) => `${getAppPath(appId)}/resends`;
  return {
    countResend: (appId: string, query: string) =>
      request<ResendCountAnswer>('GET', `${all(appId)}/count?${query}`),
    startResend: (appId: string, body: StartResendBody) =>
      request<ResendRunAnswer>('POST', all(appId), body),
    listResends: (appId: string) => request<ResendListAnswer>('GET', all(appId)),
    readResend: (appId: string, resendId: string) =>
      request<ResendRunAnswer>('GET', `${all(appId)}/${id(resendId)}`),
    cancelResend: (appId: string, resendId: string) =>
      request<ResendRunAnswer>('POST', `${all(appId)}/${id(resendId)}/cancel`),
    setSendingPaused: (appId: string, isPaused: boolean) =>
      request<AppAnswer>('POST', `${getAppPath(appId)}/${isPaused ? 'pause' : 'resume'}`),
    explainRequest: (appId: string, requestId: string) =>
      request<ExplanationAnswer>(
        'GET',
        `${getAppPath(appId)}/requests/${id(requestId)}/explanation`,
      ),
    find: (text: string, appId: string | undefined) => {
      const query = new URLSearchParams({ text, ...(appId ? { app: appId } : {}) });
      return request<FindAnswer>('GET', `api/find?${query}`);
    },
  };
}
