import { toPlainText } from './plain-text';

test.each([
  ['telegram', '<b>Order</b>\n<a href="https://e.com">Track</a>', 'Order Track'],
  ['telegram', '<b>Order 88213 is on its way</b> <a hr', 'Order 88213 is on its way <a hr'],
  ['slack', '*Order* &amp; <https://e.com|more>', 'Order & more'],
  ['whatsapp', 'your order *88213*', 'your order 88213'],
  ['sms', '*as it is* <b>', '*as it is* <b>'],
])('converts on %s the line %j to "%s"', (channel, text, words) => {
  expect(toPlainText(channel, text)).toBe(words);
});
