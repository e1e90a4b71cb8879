import { listMagicRecipients } from './magic-recipients';
import { channelNames, channels } from './registry';
import { magicBehaviours } from './sandbox';

test.each(Object.keys(magicBehaviours))('"%s" has a recipient on every channel', (word) => {
  expect(Object.keys(listMagicRecipients(word, channels)).sort()).toEqual([...channelNames].sort());
});

test('an unknown word has no magic recipient', () => {
  expect(listMagicRecipients('none of them', channels)).toEqual({});
});
