import type { Definition } from '../../api/events';
import {
  findLocaleProblem,
  listChanges,
  listLocales,
  withChannel,
  withLocale,
  withoutLocale,
  withTemplate,
} from './definition';

const policy = { attempts: 8, timeToLiveMs: 1, onUnknown: 'resend', unknownResends: 1 } as const;
const definition: Definition = {
  defaultLocale: 'en',
  missing: 'empty',
  isSensitive: false,
  channels: { sms: { integrationIds: [], templates: { en: { text: 'Hi' } }, policy } },
};

describe('a draft', () => {
  test('gets a channel with the given template and integrations and the default resend policy', () => {
    const defaultPolicy = { attempts: 8, timeToLiveMs: 1, onUnknown: 'resend' } as const;
    const added = withChannel(definition, {
      channel: 'slack',
      defaultPolicy,
      integrationIds: ['a'],
    });
    expect(added.channels['slack']).toEqual({
      integrationIds: ['a'],
      templates: { en: {} },
      policy: defaultPolicy,
    });
  });

  test('gets a language on every channel, with the texts of the default language', () => {
    const both = withLocale(definition, 'de');
    expect(listLocales(both)).toEqual(['en', 'de']);
    expect(both.channels['sms']?.templates['de']).toEqual({ text: 'Hi' });
    expect(withoutLocale(both, 'de')).toEqual(definition);
  });

  test.each([
    ['', undefined],
    ['pt_br', undefined],
    ['EN', 'en is already in the list.'],
    ['english!', 'Enter a language tag such as de or pt-BR.'],
  ])('accepts the language %j once, whatever its spelling', (typed, problem) => {
    expect(findLocaleProblem(listLocales(definition), typed)).toBe(problem);
  });

  test('differs from the live version only in the changed fields', () => {
    const changed = withTemplate(definition, { channel: 'sms', locale: 'en' }, { text: 'Hello' });
    expect(listChanges(definition, changed)).toEqual(['channels.sms.templates.en.text']);
    expect(listChanges(definition, structuredClone(definition))).toEqual([]);
  });

  test('is never mutated', () => {
    withTemplate(definition, { channel: 'sms', locale: 'en' }, { text: 'Hello' });
    expect(definition.channels['sms']?.templates['en']).toEqual({ text: 'Hi' });
  });
});
