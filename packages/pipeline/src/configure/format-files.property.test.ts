import { channelNames } from '@belfry/channels';
import { alertKindNames, defaultPolicy, webhookTypeNames } from '@belfry/shared';
import fc from 'fast-check';
import { type Configuration, channels, type FileChannel } from './configuration';
import { decodeName, encodeName, formatFiles, formatJson } from './format-files';
import { parseFiles } from './parse-files';

const text = fc.string({ unit: 'grapheme', maxLength: 40 });
const name = text.filter((value) => /^(?!\s*$)[^\p{Cc}]*$/u.test(value));
const slug = fc.stringMatching(/^[a-z0-9][a-z0-9_-]{0,20}$/);
const locale = fc.constantFrom('en', 'de', 'de-AT', 'pt_BR', 'zh-Hant');
const variable = fc.stringMatching(/^[A-Z][A-Z0-9_]{0,20}$/);
const reference = fc.record({ env: variable });
/** JSON without negative zero, which JSON cannot write. */
const json = fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value)));

const texts = fc.dictionary(locale, fc.record({ name, description: text }), { minKeys: 1 });

const integrations = fc.uniqueArray(
  fc.record({
    name,
    channel: fc.constant('email'),
    provider: fc.constant('smtp'),
    settings: fc.record({
      host: fc.oneof(text, reference),
      port: fc.integer({ min: 1, max: 65_535 }),
      from: fc.record({ name: text, address: fc.oneof(text, reference) }),
    }),
    credentials: fc.dictionary(fc.constantFrom('user', 'pass'), reference),
  }),
  { selector: (each) => each.name, maxLength: 4 },
);

const template = fc.record(
  {
    subject: text,
    html: fc.string({ unit: fc.constantFrom('a', '\n', '\r', '<', '\ufeff', 'é', '🔔') }),
    text,
    blocks: text,
    data: json,
  },
  { requiredKeys: [] },
);

const channel: fc.Arbitrary<FileChannel> = fc.record({
  integrations: fc.array(name, { maxLength: 3 }),
  policy: fc.record({
    ...{
      attempts: fc.integer({ min: 1, max: 50 }),
      onUnknown: fc.constant(defaultPolicy.onUnknown),
    },
    timeToLiveMs: fc.integer({ min: 1_000, max: 2_000_000 }),
  }),
  templates: fc.dictionary(locale, template),
});

const events = fc.uniqueArray(
  fc.record({
    name: text.filter((value) => /\S/.test(value)),
    fields: fc.record(
      {
        defaultLocale: fc.constantFrom('en', 'de-AT'),
        missing: fc.constantFrom('empty', 'reject'),
        isSensitive: fc.boolean(),
        kind: fc.constantFrom('mandatory', 'optional'),
        category: slug,
      },
      { requiredKeys: ['defaultLocale', 'missing', 'isSensitive', 'kind'] },
    ),
    channels: fc.dictionary(fc.constantFrom(...channelNames), channel, { maxKeys: 3 }),
  }),
  { selector: (each) => each.name, maxLength: 4 },
);

const target = fc.record({ integration: name, to: fc.array(text, { maxLength: 3 }) });

const configuration = fc.record({
  settings: fc.record({
    openInboxCounters: fc.boolean(),
    inboxSignature: fc.boolean(),
    defaultRegion: fc.constantFrom(null, 'DE', 'US'),
    pageColor: fc.constantFrom(null, '#1d4ed8'),
    retentionDays: fc.constantFrom(null, 2, 400),
  }),
  categories: fc.uniqueArray(fc.record({ slug, texts }), { selector: (each) => each.slug }),
  integrations,
  events,
  webhooks: fc.array(
    fc.record({
      url: fc.oneof(fc.webUrl(), reference),
      types: fc.uniqueArray(fc.constantFrom(...webhookTypeNames), { minLength: 1 }),
      description: text.filter((value) => /^[^\p{Cc}]*$/u.test(value)),
      enabled: fc.boolean(),
    }),
    { maxLength: 3 },
  ),
  alerts: fc.array(
    fc.record(
      {
        kind: fc.constantFrom(...alertKindNames),
        params: fc.dictionary(fc.constantFrom('percent', 'minutes'), fc.nat()),
        enabled: fc.boolean(),
        channel: fc.constantFrom(...channelNames),
        integration: name,
        sendBy: target,
        fallback: target,
      },
      { requiredKeys: ['kind', 'params', 'enabled'] },
    ),
    { maxLength: 3 },
  ),
}) as fc.Arbitrary<Configuration>;

/** Lists whose order means nothing, in one order. */
function sort({ webhooks, alerts, integrations: all, events: named, ...rest }: Configuration) {
  const byJson = <T>(values: readonly T[]) => values.map((value) => formatJson(value)).sort();
  const sorted = webhooks.map((each) => ({ ...each, types: [...each.types].sort() }));
  return {
    ...rest,
    ...{ webhooks: byJson(sorted), alerts: byJson(alerts) },
    ...{ integrations: byJson(all), events: byJson(named) },
  };
}

test('the files of a configuration hold all of it, and reading them and writing them again gives the same bytes', () => {
  fc.assert(
    fc.property(configuration, (wanted) => {
      const files = formatFiles(wanted);
      const parsed = parseFiles(files, channels);
      expect(sort(parsed)).toEqual(sort(wanted));
      expect([...formatFiles(parsed)].sort()).toEqual([...files].sort());
    }),
  );
});

test('the bytes do not depend on the order of keys, nor on how the JSON is written', () => {
  fc.assert(
    fc.property(configuration, (wanted) => {
      const files = formatFiles(wanted);
      const rewritten = [...files].reverse().map(([file, content]): [string, string] => {
        return [file, file.endsWith('.json') ? `\n${reverseKeys(content)}  ` : content];
      });
      const again = formatFiles(parseFiles(new Map(rewritten), channels));
      expect(new Map([...again].sort())).toEqual(new Map([...files].sort()));
    }),
  );
});

function reverseKeys(content: string): string {
  const reverse = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(reverse);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value)
        .reverse()
        .map(([key, member]) => [key, reverse(member)]),
    );
  };
  return JSON.stringify(reverse(JSON.parse(content)));
}

test('every name has a path of its own that stays within its folder', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (value) => {
      const encoded = encodeName(value);
      expect(decodeName(encoded)).toBe(value);
      expect(encoded).toMatch(/^[A-Za-z0-9_%-]+$/);
    }),
  );
});

test.each(['..', '.', 'a.b', 'A b', '%2f', '%', 'ü'])('%j is no encoded name', (encoded) => {
  expect(decodeName(encoded)).toBeUndefined();
});
