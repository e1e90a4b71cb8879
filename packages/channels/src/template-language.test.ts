import type { AnyChannel } from './channel';
import { type ChannelName, channelNames, channels } from './registry';

const plural = '{{plural n one="plik" few="pliki" other="pliku"}}';

/** One template per text field. */
const templates: Partial<Record<ChannelName, object[]>> = {
  email: [
    { subject: plural, html: 'x' },
    { subject: 'x', html: `<p>${plural}</p>` },
    { subject: 'x', text: plural },
  ],
  slack: [
    { text: plural },
    { blocks: JSON.stringify([{ type: 'section', text: { type: 'mrkdwn', text: plural } }]) },
  ],
  sms: [{ text: plural }],
  whatsapp: [
    { text: plural },
    { template: { name: 'files', language: 'pl', parameters: [{ value: plural }] } },
  ],
  telegram: [{ text: plural }],
  push: [{ title: plural }, { title: 'x', body: plural }],
  onesignal: [{ title: plural }, { title: 'x', body: plural }],
  in_app: [{ title: plural }, { title: 'x', body: plural }],
};

test.each(channelNames)('%s uses the plural rules of the template’s language', (name) => {
  const channel: AnyChannel = channels[name];
  for (const template of templates[name] ?? []) {
    const composed = channel.compile(template, 'pl').compose({
      data: { n: 3 },
      target: 'target',
      override: undefined,
      missing: 'reject',
      isSensitive: false,
    });
    expect(JSON.stringify(composed)).toContain('pliki');
  }
});
