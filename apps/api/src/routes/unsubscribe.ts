import type { PageFacts, PreferencesUpdate, Unsubscribes, UserPreferences } from '@belfry/database';
import type { Awaitable, Metrics, UnsubscribeToken } from '@belfry/runtime';
import {
  AppError,
  applyChoices,
  chooseLocale,
  type PreferencesBody,
  readPreferences,
  switchEverythingOff,
} from '@belfry/shared';
import type { Request, RequestHandler, Response } from 'express';
import { getCall, sendAnswer } from '../call';
import { refuseEncoding } from '../middleware/before-body';
import type { OpenCallsDeps } from '../open-calls';
import {
  type Page,
  renderBroken,
  renderDone,
  renderPreferences,
  renderQuestion,
  type View,
  writeSwitch,
} from '../unsubscribe/pages';
import { readForm } from '../unsubscribe/read-form';
import { languages } from '../unsubscribe/strings';

export type UnsubscribeRoutesDeps = Pick<OpenCallsDeps, 'takeOpenCall'> & {
  unsubscribes: Pick<Unsubscribes, 'unsubscribe'> &
    Pick<UserPreferences, 'changePreferences'> & {
      findPage(appId: string): Awaitable<PageFacts | undefined>;
      /** Undefined if the user is not stored. */
      readPreferences(user: {
        appId: string;
        userId: string;
      }): Promise<PreferencesBody | undefined>;
      /** Undefined for a link that is not ours, or too old. */
      readToken(text: string): UnsubscribeToken | undefined;
      channelLabels: View['channelLabels'];
    };
  metrics: Pick<Metrics, 'countUnsubscribe'>;
};

/** Forms have a few hundred bytes; the preferences of 50 categories on every channel about 16 KB. */
export const unsubscribeBody = { kind: 'network', maxBodyBytes: 64 * 1024 } as const;

type ReadBody = (req: Request, res: Response) => Promise<Buffer>;

/** A link that works, and the person that it is for. */
type Visit = View & { stored: PreferencesBody | undefined };

/**
 * `/u/{token}` and `/u/{token}/preferences`: pages for people without a sign-in, and the POST of mail programs (RFC 8058). The
 * token is the credential, so neither a cookie nor an origin is looked at. Every link that does not work gets the same answer.
 */
export function createUnsubscribeRoutes(
  deps: UnsubscribeRoutesDeps,
  readBody: ReadBody,
): Record<'question' | 'unsubscribe' | 'preferences' | 'savePreferences', RequestHandler> {
  const { unsubscribes, metrics } = deps;
  const visit = createVisit(deps, readBody);

  const question = visit('', async (view, { res }) => {
    metrics.countUnsubscribe('shown');
    sendPage(res, 200, renderQuestion(view, { hasPreferences: view.stored !== undefined }));
  });

  const unsubscribe = visit('', async (view, { req, res, body }) => {
    const form = readForm(req, body);
    if (!form.get('List-Unsubscribe')?.includes('One-Click')) throw notOneClick();
    await unsubscribes.unsubscribe(view.token);
    metrics.countUnsubscribe('unsubscribed');
    sendPage(res, 200, renderDone(view, { hasPreferences: view.stored !== undefined }));
  });

  const preferences = visit('../', async (view, { res }) => {
    metrics.countUnsubscribe('shown');
    sendPreferences(res, view);
  });

  const savePreferences = visit('../', async (view, { req, res, body }) => {
    const change = readChange(readForm(req, body), view.facts);
    const stored = change && (await store(deps, view, change));
    if (!stored) return sendPreferences(res, view, 'notSaved');
    metrics.countUnsubscribe('saved');
    sendPreferences(res, { ...view, stored }, 'saved');
  });

  return { question, unsubscribe, preferences, savePreferences };
}

type Exchange = { req: Request; res: Response; body: Buffer };

/** `parent` leads from the page to the folder of the unsubscribe page. */
function createVisit(deps: UnsubscribeRoutesDeps, readBody: ReadBody) {
  const { takeOpenCall, metrics } = deps;
  return (
    parent: string,
    handle: (view: Visit, exchange: Exchange) => Promise<void>,
  ): RequestHandler =>
    async function handleVisit(req, res) {
      if (!takeOpenCall(req)) throw new AppError('rate_limited', tooManyCalls);
      refuseEncoding(req);
      const body = req.method === 'POST' ? await readBody(req, res) : noBody;
      const view = await findVisit(deps, req, parent);
      if (view) {
        const { token, facts } = view;
        Object.assign(getCall(res), { appId: token.appId, accountId: facts.accountId });
        await handle(view, { req, res, body });
        return;
      }
      metrics.countUnsubscribe('invalid');
      sendPage(res, 404, renderBroken(chooseLanguage(req, undefined)));
    };
}

async function findVisit(
  { unsubscribes }: UnsubscribeRoutesDeps,
  req: Request,
  parent: string,
): Promise<Visit | undefined> {
  const text = String(req.params['token']);
  const token = unsubscribes.readToken(text);
  const facts = token && (await unsubscribes.findPage(token.appId));
  if (!facts) return undefined;
  const { appId, userId } = token;
  const stored =
    userId === undefined ? undefined : await unsubscribes.readPreferences({ appId, userId });
  const language = chooseLanguage(req, stored?.locale);
  const { channelLabels } = unsubscribes;
  return { language, facts, token, path: `${parent}${text}`, channelLabels, stored };
}

/** The new preferences, or undefined if the person is not stored. */
async function store(
  { unsubscribes }: UnsubscribeRoutesDeps,
  { token: { appId, userId } }: Visit,
  change: PreferencesUpdate['change'],
): Promise<PreferencesBody | undefined> {
  if (userId === undefined) return undefined;
  let stored: PreferencesBody | undefined;
  await unsubscribes.changePreferences({
    ...{ appId, userId, source: 'link' },
    change(before) {
      stored = change(before);
      return stored;
    },
  });
  return stored;
}

/** For a person who is not stored, who has no preferences, the page is that of unsubscribing. */
function sendPreferences(res: Response, view: Visit, result?: 'saved' | 'notSaved'): void {
  const { stored } = view;
  const page = stored
    ? renderPreferences(view, { stored: readPreferences(stored) ?? {}, ...(result && { result }) })
    : renderQuestion(view, { hasPreferences: false });
  sendPage(res, result === 'notSaved' ? 422 : 200, page);
}

const noBody = Buffer.alloc(0);

const tooManyCalls = 'this network sent too many requests without a credential: try again later';

function notOneClick(): AppError {
  const problems = [{ path: 'List-Unsubscribe', problem: 'must be One-Click' }];
  return new AppError('validation_failed', 'List-Unsubscribe must be One-Click', { problems });
}

/** Undefined if the form is not one that we would show now: then it cannot be what the person wants. */
function readChange(
  form: Map<string, string[]>,
  { switches }: PageFacts,
): PreferencesUpdate['change'] | undefined {
  const [action] = form.get('action') ?? [];
  if (action === 'all_off') return switchEverythingOff;
  const byValue = new Map(switches.map((each) => [writeSwitch(each), each]));
  const shown = new Set(form.get('shown') ?? []);
  const on = new Set(form.get('on') ?? []);
  const isCurrent = [...shown].every((value) => byValue.has(value)) && shown.size === byValue.size;
  if (action !== 'save' || !isCurrent || ![...on].every((value) => shown.has(value))) {
    return undefined;
  }
  const choices = [...byValue].map(([value, each]) => ({ ...each, isOn: on.has(value) }));
  return (stored) => applyChoices(stored, choices);
}

/** The user's own language, else the first that the browser prefers, else English. */
function chooseLanguage(req: Request, locale: string | undefined): string {
  const tags = [...(locale === undefined ? [] : [locale]), ...req.acceptsLanguages()];
  for (const tag of tags.slice(0, maxTags)) {
    const chosen = chooseLocale(tag, languages, defaultLanguage);
    if (chosen && chosen.note === undefined) return chosen.locale;
  }
  return defaultLanguage;
}

const defaultLanguage = 'en';
const maxTags = 10;

function sendPage(res: Response, status: number, { html, contentSecurityPolicy }: Page): void {
  sendAnswer(res, {
    status,
    body: html,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': contentSecurityPolicy,
      'Referrer-Policy': 'no-referrer',
      'X-Robots-Tag': 'noindex, nofollow',
    },
  });
}
