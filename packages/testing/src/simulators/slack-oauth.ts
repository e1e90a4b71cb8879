import { createHmac } from 'node:crypto';
import type { HttpReply, HttpRequest } from './http-simulator';

export type SimulatedSlackApp = { clientId: string; clientSecret: string };

/** The grant of every installation. Each code gives another token. */
export const simulatedInstall = {
  team_id: 'T0SIMULATED',
  app_id: 'A0SIMULATED',
  bot_user_id: 'U0SIMULATED',
} as const;

/** The consent page, where the person always agrees, and the exchange of its code; undefined for other calls. */
export function createSlackOAuth(
  app: SimulatedSlackApp | undefined,
): (request: HttpRequest) => HttpReply | undefined {
  const codes = new Map<string, { redirectUri: string; scope: string }>();
  let codeCount = 0;

  function authorize(query: URLSearchParams): HttpReply {
    const redirectUri = query.get('redirect_uri') ?? '';
    if (query.get('client_id') !== app?.clientId) return { status: 400, body: 'No such app' };
    codeCount += 1;
    const code = `code-${codeCount}`;
    codes.set(code, { redirectUri, scope: query.get('scope') ?? '' });
    const back = new URL(redirectUri);
    back.searchParams.set('code', code);
    back.searchParams.set('state', query.get('state') ?? '');
    return { status: 302, headers: { location: back.href }, body: '' };
  }

  function exchange(params: URLSearchParams): HttpReply {
    const code = params.get('code') ?? '';
    const granted = codes.get(code);
    const isApp =
      params.get('client_id') === app?.clientId &&
      params.get('client_secret') === app?.clientSecret;
    if (!isApp) return { body: { ok: false, error: 'bad_client_secret' } };
    if (granted?.redirectUri !== params.get('redirect_uri')) {
      return { body: { ok: false, error: 'invalid_code' } };
    }
    // A code works once.
    codes.delete(code);
    const { team_id: id, app_id, bot_user_id } = simulatedInstall;
    return {
      body: {
        ok: true,
        access_token: `xoxb-1111-2222-${code}`,
        token_type: 'bot',
        scope: granted.scope,
        bot_user_id,
        app_id,
        team: { id, name: 'Simulated team' },
        enterprise: null,
        is_enterprise_install: false,
        authed_user: { id: 'U0INSTALLER' },
      },
    };
  }

  return ({ path, body, headers }) => {
    const url = new URL(path, 'http://simulator');
    if (url.pathname === '/oauth/v2/authorize') return authorize(url.searchParams);
    if (!url.pathname.endsWith('/oauth.v2.access')) return undefined;
    return exchange(withBasic(new URLSearchParams(body.toString('utf8')), headers.authorization));
  };
}

/** The app may send its credentials in the header or in the body. */
function withBasic(params: URLSearchParams, authorization: string | undefined): URLSearchParams {
  if (!authorization?.startsWith('Basic ')) return params;
  const [id = '', secret = ''] = Buffer.from(authorization.slice('Basic '.length), 'base64')
    .toString('utf8')
    .split(':');
  params.set('client_id', id);
  params.set('client_secret', secret);
  return params;
}

export type SlackEventCall = { body: string; headers: Record<string, string> };

/** An event call as Slack makes it, signed with the app's secret. */
export function signSlackEvent(
  event: Record<string, unknown>,
  { signingSecret, nowMs }: { signingSecret: string; nowMs: number },
): SlackEventCall {
  const body = JSON.stringify({
    type: 'event_callback',
    team_id: simulatedInstall.team_id,
    api_app_id: simulatedInstall.app_id,
    event_id: 'Ev0SIMULATED',
    event_time: Math.floor(nowMs / 1_000),
    event,
  });
  const time = String(Math.floor(nowMs / 1_000));
  const signature = createHmac('sha256', signingSecret).update(`v0:${time}:${body}`).digest('hex');
  return {
    body,
    headers: {
      'Content-Type': 'application/json',
      'X-Slack-Request-Timestamp': time,
      'X-Slack-Signature': `v0=${signature}`,
    },
  };
}
