import type { PageFacts } from '@belfry/database';
import type { UnsubscribeToken } from '@belfry/runtime';
import {
  chooseLocale,
  escapeHtml,
  isSwitchedOff,
  maskTarget,
  type Preferences,
} from '@belfry/shared';
import { getStrings, type PageStrings, rightToLeft } from './strings';
import { buildContentSecurityPolicy, buildStyle } from './style';

export type Page = { html: string; contentSecurityPolicy: string };

/** The facts that every page needs. */
export type View = {
  /** A key of `languages`. */
  language: string;
  facts: PageFacts;
  token: UnsubscribeToken;
  /** The unsubscribe page, from the page that is shown. Relative, because a proxy may serve the gateway under a path. */
  path: string;
  /** The labels of channels whose names are not translated. */
  channelLabels: Readonly<Record<string, string>>;
};

/** Asks for confirmation: opening a link changes nothing, because mail scanners do it too. */
export function renderQuestion(view: View, { hasPreferences }: { hasPreferences: boolean }): Page {
  const { strings, address } = describe(view);
  const body = `${address}
<form method="post" action="${escapeHtml(view.path)}"><input type="hidden" name="List-Unsubscribe" value="One-Click">
<button class="main">${strings.unsubscribe}</button></form>
<p>${strings.stillSent}</p>${hasPreferences ? linkPreferences(view, strings) : ''}`;
  return layOut(view, strings.unsubscribe, body);
}

export function renderDone(view: View, { hasPreferences }: { hasPreferences: boolean }): Page {
  const { strings, address } = describe(view);
  const body = `<p role="status">${strings.done}</p>${address}
<p>${strings.stillSent}</p>${hasPreferences ? linkPreferences(view, strings) : ''}`;
  return layOut(view, strings.unsubscribe, body);
}

export type PreferencesState = {
  stored: Preferences;
  /** The result of a save. */
  result?: 'saved' | 'notSaved';
};

export function renderPreferences(view: View, { stored, result }: PreferencesState): Page {
  const { strings } = describe(view);
  const { facts, token, language } = view;
  const groups = listGroups(facts);
  const fieldsets = groups
    .map((group) => renderGroup(view, { ...group, isOnly: groups.length === 1 }, stored))
    .join('\n');
  const role = result === 'notSaved' ? 'alert' : 'status';
  const form = `<form method="post">${fieldsets}
<button class="main" name="action" value="save">${strings.save}</button>
<button name="action" value="all_off">${strings.allOff}</button></form>
<p>${strings.stillSent}</p>`;
  const choose = strings.choose.replace('{app}', () => escapeHtml(facts.appName));
  const body = `${result ? `<p role="${role}">${strings[result]}</p>` : ''}
<p>${choose}</p><dl><dt>${nameChannel(view, token.channel)}</dt><dd dir="ltr">${showAddress(token)}</dd></dl>
${groups.length === 0 ? `<p>${strings.nothing}</p>` : form}`;
  return layOut({ language, facts }, strings.preferences, body);
}

/** The same for every link that is not ours or does not work any more. */
export function renderBroken(language: string): Page {
  const strings = getStrings(language);
  const facts = { appName: '', pageColor: null };
  return layOut({ language, facts }, strings.broken, `<p>${strings.brokenHelp}</p>`);
}

type Group = { category: string | null; channels: string[] };

/** The categories that live optional events have, in order, then events without one. */
function listGroups({ categories, switches }: PageFacts): Group[] {
  const slugs = [...categories.map(({ slug }) => slug), null];
  return slugs
    .map((category) => ({
      category,
      channels: switches.filter((each) => each.category === category).map(({ channel }) => channel),
    }))
    .filter(({ channels }) => channels.length > 0);
}

function renderGroup(
  view: View,
  { category, channels, isOnly }: Group & { isOnly: boolean },
  stored: Preferences,
): string {
  const { name, description } = nameTopic(view, category, isOnly);
  const boxes = channels.map((channel) => {
    const value = writeSwitch({ category, channel });
    const isOn = !isSwitchedOff(stored, { category, channel });
    return `<input type="hidden" name="shown" value="${value}"><label><input type="checkbox" name="on" value="${value}"${
      isOn ? ' checked' : ''
    }> ${nameChannel(view, channel)}</label>`;
  });
  const about = description === '' ? '' : `<p>${description}</p>`;
  return `<fieldset><legend>${name}</legend>${about}${boxes.join('')}</fieldset>`;
}

/** The value of a checkbox. No slug is `-`. */
export function writeSwitch({ category, channel }: PageFacts['switches'][number]): string {
  return escapeHtml(`${category ?? '-'} ${channel}`);
}

function describe(view: View): { strings: PageStrings; address: string } {
  const strings = getStrings(view.language);
  const { channel, category = null } = view.token;
  const topic = nameTopic(view, category, true).name;
  const address = `<dl><dt>${strings.topic}</dt><dd>${topic}</dd>
<dt>${strings.channel}</dt><dd>${nameChannel(view, channel)}</dd>
<dt>${strings.address}</dt><dd dir="ltr">${showAddress(view.token)}</dd></dl>`;
  return { strings, address };
}

/** Events without a category are "other" beside those with one. */
function nameTopic({ facts, language }: View, category: string | null, isOnly = false) {
  const { allOptional, others } = getStrings(language);
  if (category === null) return { name: isOnly ? allOptional : others, description: '' };
  const texts = facts.categories.find(({ slug }) => slug === category)?.texts ?? {};
  const chosen = chooseLocale(
    language,
    texts,
    Object.hasOwn(texts, 'en') ? 'en' : (Object.keys(texts)[0] ?? 'en'),
  );
  const { name = category, description = '' } = (chosen && texts[chosen.locale]) ?? {};
  return { name: escapeHtml(name), description: escapeHtml(description) };
}

function nameChannel({ language, channelLabels }: View, channel: string): string {
  const { email, push, in_app } = getStrings(language);
  const names: Record<string, string> = { ...channelLabels, email, push, in_app };
  return escapeHtml(names[channel] ?? channel);
}

function showAddress({ channel, target }: UnsubscribeToken): string {
  return escapeHtml(maskTarget(channel, target));
}

function linkPreferences({ path }: View, strings: PageStrings): string {
  return `<p><a href="${escapeHtml(path)}/preferences">${strings.preferences}</a></p>`;
}

type Frame = { language: string; facts: Pick<PageFacts, 'appName' | 'pageColor'> };

function layOut({ language, facts }: Frame, heading: string, body: string): Page {
  const style = buildStyle(facts.pageColor);
  const app = escapeHtml(facts.appName);
  const html = `<!doctype html>
<html lang="${language}" dir="${rightToLeft.has(language) ? 'rtl' : 'ltr'}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow"><meta name="referrer" content="no-referrer">
<title>${[heading, app].filter(Boolean).join(' · ')}</title><style>${style}</style></head>
<body><main>${app === '' ? '' : `<p>${app}</p>`}<h1>${heading}</h1>
${body}</main></body></html>
`;
  return { html, contentSecurityPolicy: buildContentSecurityPolicy(style) };
}
