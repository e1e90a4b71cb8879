import {
  findMagicWordOfSlack,
  findSlackTargets,
  isSharedSlackTarget,
  parseSlackTarget,
} from './target';

describe('findSlackTargets', () => {
  test.each([
    [{ channelId: 'C0123456789' }, 'C0123456789'],
    [{ channelId: ' G0123456789 ' }, 'G0123456789'],
    [{ channelId: 'D0123456789' }, 'D0123456789'],
    [{ channelId: 'U0123456789' }, 'U0123456789'],
    [{ channelId: 'W0123456789' }, 'W0123456789'],
    [{ email: 'ada@EXAMPLE.org' }, 'ada@example.org'],
    [{ channelId: 'C0123456789', email: 'ada@example.org' }, 'C0123456789 ada@example.org'],
  ])('accepts %j as %s', (slack, address) => {
    expect(findSlackTargets({ slack })).toEqual({ targets: [{ address }] });
  });

  test.each([
    [
      { channelId: '#general', email: 'ada@example.org' },
      'ada@example.org',
      'channel_id "#general"',
    ],
    [{ channelId: 'C0123456789', email: 'ada' }, 'C0123456789', 'email "ada"'],
  ])('uses the valid half of %j and notes the invalid one', (slack, address, note) => {
    expect(findSlackTargets({ slack })).toEqual({
      targets: [{ address, note: expect.stringContaining(note) }],
    });
  });

  test.each([
    '#general',
    'general',
    'c0123456789',
    'C0123,C0456',
    'C012345678 ',
    'X0123456789',
    'C0123456789\nU1',
  ])('refuses the channel_id %j', (channelId) => {
    const targeting = findSlackTargets({ slack: { channelId } });
    if (channelId.trim() !== channelId) expect(targeting).toHaveProperty('targets');
    else expect(targeting).toMatchObject({ skip: 'invalid_address' });
  });

  test.each([[{}], [{ slack: {} }], [{ slack: { channelId: ' ', email: '' } }]])(
    'finds no target in %j',
    (recipient) => {
      expect(findSlackTargets(recipient)).toMatchObject({ skip: 'no_address' });
    },
  );
});

test.each([
  ['C0123456789', { conversationId: 'C0123456789' }],
  ['U0123456789', { userId: 'U0123456789' }],
  ['ada@example.org', { email: 'ada@example.org' }],
  ['C0123456789 ada@example.org', { conversationId: 'C0123456789', email: 'ada@example.org' }],
  ['U0123456789 ada@example.org', { userId: 'U0123456789', email: 'ada@example.org' }],
])('the stored target %s parses to the same target', (target, expected) => {
  expect(parseSlackTarget(target)).toEqual(expected);
});

test.each([
  ['C0123456789', true],
  ['G0123456789', true],
  ['D0123456789', false],
  ['U0123456789', false],
  ['ada@example.org', false],
  ['C0123456789 ada@example.org', false],
])('%s is shared by several people: %s', (target, isShared) => {
  expect(isSharedSlackTarget(target)).toBe(isShared);
});

test.each([
  ['CSANDBOXBOUNCE', 'bounce'],
  ['USANDBOXRETRY', 'retry'],
  ['sandbox+timeout@example.com', 'timeout'],
  ['C0123456789 sandbox+timeout@example.com', 'timeout'],
  ['C0123456789', undefined],
])('the magic word of %s is %s', (target, word) => {
  expect(findMagicWordOfSlack(target)).toBe(word);
});
