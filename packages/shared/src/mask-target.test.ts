import { maskTarget } from './mask-target';

describe('maskTarget', () => {
  test.each([
    ['email', 'ana@example.com', 'a***@example.com'],
    ['email', '@example.com', '***'],
    ['email', 'nothing', '***'],
    ['sms', '+12025550123', '+1202***23'],
    ['slack', 'C024BE91L', 'C024***'],
    ['push', 'fcm-token-that-is-long', 'fcm-***'],
    [
      'push',
      `https://push.example.net/send/${'s'.repeat(60)}9f2c`,
      'https://push.example.net/***9f2c',
    ],
    ['push', 'https://push.example.net/short', 'https://push.example.net/***'],
  ])('masks a %s target %s as %s', (channel, target, masked) => {
    expect(maskTarget(channel, target)).toBe(masked);
  });
});
