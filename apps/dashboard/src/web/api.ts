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

/** A refusal of the server, or that it cannot be reached at all. */
export type PageProblem = Omit<Partial<Problem>, 'code'> & {
  error: string;
  code: ProblemCode | 'unreachable';
};
export type Answer<T> = { value: T } | { problem: PageProblem };
export type Api = ReturnType<typeof createApi>;

type ApiDeps = { root: URL; fetch: typeof fetch; onSignedOut: () => void };
type Ask = <T>(method: string, path: string, body?: unknown) => Promise<Answer<T>>;

const answerTimeoutMs = 30_000;
const unreachable: PageProblem = {
  code: 'unreachable',
  error: 'The dashboard’s server does not answer. Nothing that was accepted is lost.',
};

/** The only place that calls the server. Every path is relative to where the page is served. */
export function createApi(deps: ApiDeps) {
  const ask = createAsk(deps);
  return {
    ...sessionCalls(ask),
    ...accountCalls(ask),
    ...peopleCalls(ask),
    ...userCalls(ask),
    ...integrationCalls(ask),
    ...eventCalls(ask),
    ...draftCalls(ask),
    ...logCalls(ask),
    ...captureCalls(ask),
    ...savedFilterCalls(ask),
    ...resendCalls(ask),
    urlOf: (path: string) => new URL(path, deps.root).href,
  };
}

function createAsk({ root, fetch, onSignedOut }: ApiDeps): Ask {
  return async function ask<T>(method: string, path: string, body?: unknown): Promise<Answer<T>> {
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
      // The server answers what src/api says of this path; both are built from the same types.
      if (response.ok) return { value: read as T };
      const problem = read as Problem;
      if (problem.code === 'signed_out') onSignedOut();
      return { problem };
    } catch {
      return { problem: unreachable };
    }
  };
}

const id = encodeURIComponent;
const ofApp = (appId: string) => `api/apps/${id(appId)}`;
const ofEvent = (appId: string, eventId: string) => `${ofApp(appId)}/events/${id(eventId)}`;

function sessionCalls(ask: Ask) {
  return {
    readSession: () => ask<SessionAnswer>('GET', 'api/session'),
    signIn: (body: SignInBody) => ask<SessionAnswer>('POST', 'api/session', body),
    signOut: () => ask<Done>('DELETE', 'api/session'),
    lookAtSetUp: (token: string) => ask<SetUpLookAnswer>('POST', 'api/set-up/look', { token }),
    setUp: (body: SetUpBody) => ask<SessionAnswer>('POST', 'api/set-up', body),
    listSessions: () => ask<SessionListAnswer>('GET', 'api/sessions'),
    endSession: (sessionId: string) => ask<Done>('DELETE', `api/sessions/${id(sessionId)}`),
    changePassword: (body: PasswordBody) => ask<Done>('PUT', 'api/password', body),
    readRegistry: () => ask<RegistryAnswer>('GET', 'api/registry'),
    readStatus: () => ask<StatusAnswer>('GET', 'api/status'),
  };
}

function accountCalls(ask: Ask) {
  return {
    listKeys: () => ask<KeyListAnswer>('GET', 'api/keys'),
    createKey: (password: string) => ask<ShowKeyAnswer>('POST', 'api/keys', { password }),
    showKey: (keyId: string, password: string) =>
      ask<ShowKeyAnswer>('POST', `api/keys/${id(keyId)}/show`, { password }),
    endKey: (keyId: string, body: EndKeyBody) =>
      ask<KeyListAnswer>('POST', `api/keys/${id(keyId)}/end`, body),
    listApps: () => ask<AppListAnswer>('GET', 'api/apps'),
    createApp: (body: NewAppBody) => ask<AppAnswer>('POST', 'api/apps', body),
    changeApp: (appId: string, body: AppChangeBody) => ask<AppAnswer>('PATCH', ofApp(appId), body),
    removeApp: (appId: string, confirmName: string) =>
      ask<Done>('DELETE', ofApp(appId), { confirmName }),
    listAudit: (before?: string) =>
      ask<AuditAnswer>('GET', `api/audit${before ? `?before=${id(before)}` : ''}`),
  };
}

function peopleCalls(ask: Ask) {
  const one = (of: string) => `api/people/${id(of)}`;
  return {
    listPeople: () => ask<PeopleAnswer>('GET', 'api/people'),
    invite: (body: InviteBody) => ask<InviteAnswer>('POST', 'api/people/invitations', body),
    revokeInvitation: (of: string) =>
      ask<PeopleAnswer>('DELETE', `api/people/invitations/${id(of)}`),
    changeRole: (of: string, body: ChangeRoleBody) => ask<PeopleAnswer>('PATCH', one(of), body),
    removePerson: (of: string, password: string) =>
      ask<PeopleAnswer | Done>('DELETE', one(of), { password }),
  };
}

function userCalls(ask: Ask) {
  const users = (appId: string) => `${ofApp(appId)}/users`;
  const suppressions = (appId: string) => `${ofApp(appId)}/suppressions`;
  return {
    listUsers: (appId: string, query: string) =>
      ask<UserListAnswer>('GET', `${users(appId)}${query ? `?${query}` : ''}`),
    readUser: (appId: string, sid: string) => ask<UserAnswer>('GET', `${users(appId)}/${id(sid)}`),
    eraseUser: (appId: string, sid: string, confirmUserId: string) =>
      ask<ErasureRow>('DELETE', `${users(appId)}/${id(sid)}`, { confirmUserId }),
    listErasures: (appId: string) => ask<ErasureListAnswer>('GET', `${ofApp(appId)}/erasures`),
    listSuppressions: (appId: string, query: string) =>
      ask<SuppressionListAnswer>('GET', `${suppressions(appId)}${query ? `?${query}` : ''}`),
    suppress: (appId: string, body: NewSuppressionBody) =>
      ask<SuppressionRow>('POST', suppressions(appId), body),
    allow: (appId: string, of: string) => ask<Done>('DELETE', `${suppressions(appId)}/${id(of)}`),
  };
}

function integrationCalls(ask: Ask) {
  const all = (appId: string) => `${ofApp(appId)}/integrations`;
  const one = (appId: string, of: string) => `${all(appId)}/${id(of)}`;
  return {
    listIntegrations: (appId: string) => ask<IntegrationListAnswer>('GET', all(appId)),
    createIntegration: (appId: string, body: NewIntegrationBody) =>
      ask<IntegrationAnswer>('POST', all(appId), body),
    changeIntegration: (appId: string, of: string, body: IntegrationChangeBody) =>
      ask<IntegrationAnswer>('PUT', one(appId, of), body),
    testConnection: (appId: string, body: TestConnectionBody) =>
      ask<TestConnectionAnswer>('POST', `${all(appId)}/test`, body),
    testStored: (appId: string, of: string) =>
      ask<TestConnectionAnswer>('POST', `${one(appId, of)}/test`),
    beginSlackInstall: (appId: string, of: string) =>
      ask<SlackInstallAnswer>('POST', `${one(appId, of)}/slack-install`),
    setIntegrationPaused: (appId: string, of: string, isPaused: boolean) =>
      ask<IntegrationAnswer>('POST', `${one(appId, of)}/${isPaused ? 'pause' : 'resume'}`),
    removeIntegration: (appId: string, of: string, confirm: boolean) =>
      ask<Done>('DELETE', one(appId, of), { confirm }),
  };
}

function eventCalls(ask: Ask) {
  return {
    listEvents: (appId: string) => ask<EventListAnswer>('GET', `${ofApp(appId)}/events`),
    createEvent: (appId: string, name: string) =>
      ask<EventAnswer>('POST', `${ofApp(appId)}/events`, { name }),
    readEvent: (appId: string, eventId: string) => ask<EventAnswer>('GET', ofEvent(appId, eventId)),
    renameEvent: (appId: string, eventId: string, name: string, confirm: boolean) =>
      ask<EventAnswer>('PATCH', ofEvent(appId, eventId), { name, confirm }),
    removeEvent: (appId: string, eventId: string, confirmName: string) =>
      ask<Done>('DELETE', ofEvent(appId, eventId), { confirmName }),
    listVersions: (appId: string, eventId: string, before?: number) =>
      ask<VersionListAnswer>(
        'GET',
        `${ofEvent(appId, eventId)}/versions${before === undefined ? '' : `?before=${before}`}`,
      ),
    readVersion: (appId: string, eventId: string, versionId: string) =>
      ask<FoundVersionAnswer>('GET', `${ofEvent(appId, eventId)}/versions/${id(versionId)}`),
    restoreVersion: (appId: string, eventId: string, versionId: string, basedOn: number) =>
      ask<EventAnswer>('POST', `${ofEvent(appId, eventId)}/versions/${id(versionId)}/restore`, {
        basedOn,
      }),
  };
}

function draftCalls(ask: Ask) {
  return {
    saveDraft: (appId: string, eventId: string, basedOn: number, definition: Definition) =>
      ask<DraftAnswer>('PUT', `${ofEvent(appId, eventId)}/draft`, { basedOn, definition }),
    checkDraft: (appId: string, eventId: string, definition: Definition) =>
      ask<CheckDraftAnswer>('POST', `${ofEvent(appId, eventId)}/check`, { definition }),
    compareVariables: (appId: string, eventId: string, definition: Definition) =>
      ask<VariablesAnswer>('POST', `${ofEvent(appId, eventId)}/variables`, { definition }),
    publish: (appId: string, eventId: string, body: PublishBody) =>
      ask<EventAnswer>('POST', `${ofEvent(appId, eventId)}/publish`, body),
    rollBack: (appId: string, eventId: string, versionId: string, body: RollBackBody) =>
      ask<EventAnswer>(
        'POST',
        `${ofEvent(appId, eventId)}/versions/${id(versionId)}/roll-back`,
        body,
      ),
    discardDraft: (appId: string, eventId: string, basedOn: number) =>
      ask<EventAnswer>('POST', `${ofEvent(appId, eventId)}/discard`, { basedOn }),
    readSample: (appId: string, eventId: string) =>
      ask<SampleAnswer>('GET', `${ofEvent(appId, eventId)}/sample`),
    preview: (appId: string, eventId: string, body: PreviewBody) =>
      ask<PreviewAnswer>('POST', `${ofEvent(appId, eventId)}/preview`, body),
    testSend: (appId: string, eventId: string, body: TestSendBody) =>
      ask<TestSendAnswer>('POST', `${ofEvent(appId, eventId)}/test`, body),
    callExample: (appId: string, eventId: string, body: CallExampleBody) =>
      ask<CallExampleAnswer>('POST', `${ofEvent(appId, eventId)}/call-example`, body),
  };
}

function logCalls(ask: Ask) {
  return {
    listLog: (appId: string, query: string) =>
      ask<LogAnswer>('GET', `${ofApp(appId)}/log${query ? `?${query}` : ''}`),
    liveLogPath: (appId: string, query: string) =>
      `${ofApp(appId)}/log/live${query ? `?${query}` : ''}`,
    readRequest: (appId: string, requestId: string, item: number) =>
      ask<RequestAnswer>('GET', `${ofApp(appId)}/requests/${id(requestId)}?item=${item}`),
    resend: (appId: string, messageId: string, confirm: boolean) =>
      ask<ResendAnswer>('POST', `${ofApp(appId)}/messages/${id(messageId)}/resend`, { confirm }),
    cancel: (appId: string, messageId: string) =>
      ask<Done>('POST', `${ofApp(appId)}/messages/${id(messageId)}/cancel`),
    readQueues: (appId: string | undefined) =>
      ask<QueuesAnswer>('GET', `api/queues${appId ? `?app=${id(appId)}` : ''}`),
    setChannelPaused: (appId: string, channel: string, isPaused: boolean) =>
      ask<ChannelPauseAnswer>(
        'POST',
        `${ofApp(appId)}/channels/${id(channel)}/${isPaused ? 'pause' : 'resume'}`,
      ),
  };
}

function captureCalls(ask: Ask) {
  const all = (appId: string) => `${ofApp(appId)}/captures`;
  const one = (appId: string, of: string) => `${all(appId)}/${id(of)}`;
  return {
    listCaptures: (appId: string, query: string) =>
      ask<CaptureListAnswer>('GET', `${all(appId)}${query ? `?${query}` : ''}`),
    readCapture: (appId: string, of: string) => ask<CaptureAnswer>('GET', one(appId, of)),
    removeCapture: (appId: string, of: string) => ask<Done>('DELETE', one(appId, of)),
    removeCaptures: (appId: string) =>
      ask<RemoveCapturesAnswer>('DELETE', all(appId), { confirm: true }),
  };
}

function savedFilterCalls(ask: Ask) {
  const all = (appId: string) => `${ofApp(appId)}/filters`;
  return {
    listSavedFilters: (appId: string) => ask<SavedFilterListAnswer>('GET', all(appId)),
    saveFilter: (appId: string, body: NewSavedFilterBody) =>
      ask<SavedFilterListAnswer>('POST', all(appId), body),
    changeSavedFilter: (appId: string, of: string, body: SavedFilterChangeBody) =>
      ask<SavedFilterListAnswer>('PATCH', `${all(appId)}/${id(of)}`, body),
    removeSavedFilter: (appId: string, of: string) =>
      ask<SavedFilterListAnswer>('DELETE', `${all(appId)}/${id(of)}`),
  };
}

function resendCalls(ask: Ask) {
  const all = (appId: string) => `${ofApp(appId)}/resends`;
  return {
    countResend: (appId: string, query: string) =>
      ask<ResendCountAnswer>('GET', `${all(appId)}/count?${query}`),
    startResend: (appId: string, body: StartResendBody) =>
      ask<ResendRunAnswer>('POST', all(appId), body),
    listResends: (appId: string) => ask<ResendListAnswer>('GET', all(appId)),
    readResend: (appId: string, resendId: string) =>
      ask<ResendRunAnswer>('GET', `${all(appId)}/${id(resendId)}`),
    cancelResend: (appId: string, resendId: string) =>
      ask<ResendRunAnswer>('POST', `${all(appId)}/${id(resendId)}/cancel`),
    setSendingPaused: (appId: string, isPaused: boolean) =>
      ask<AppAnswer>('POST', `${ofApp(appId)}/${isPaused ? 'pause' : 'resume'}`),
    explainRequest: (appId: string, requestId: string) =>
      ask<ExplanationAnswer>('GET', `${ofApp(appId)}/requests/${id(requestId)}/explanation`),
    find: (text: string, appId: string | undefined) => {
      const query = new URLSearchParams({ text, ...(appId ? { app: appId } : {}) });
      return ask<FindAnswer>('GET', `api/find?${query}`);
    },
  };
}
