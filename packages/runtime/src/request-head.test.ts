import { findTargetProblem } from './request-head';

test.each([
  '/',
  '/v1/apps?a=b&c=%20d+e',
  '/users/%E2%82%AC%F0%9F%94%94',
  '/a?b=%25zz',
  '/a?b=%C3%A9',
])('%s is valid', (target) => {
  expect(findTargetProblem(target)).toBeUndefined();
});

test.each(['/a%00', '/a?b=%00', '/a?%00=b', '/a?b=x%00y'])('%s contains U+0000', (target) => {
  expect(findTargetProblem(target)).toContain('U+0000');
});

test.each([
  ['no digits', '/a?b=%zz'],
  ['one digit', '/a%4'],
  ['no digits at the end', '/a?b=%'],
  ['a byte that UTF-8 never has', '/a?b=%ff'],
  ['a continuation byte alone', '/a?b=%80'],
  ['a truncated character', '/a?b=%E2%82'],
  ['an overlong form of /', '/a?b=%C0%AF'],
  ['an overlong U+0000', '/a?b=%C0%80'],
  ['a surrogate', '/a?b=%ED%A0%80'],
  ['a code point over U+10FFFF', '/a?b=%F4%90%80%80'],
  ['a raw byte', '/a?b=\xe9'],
])('%s is not percent-encoded UTF-8', (_, target) => {
  expect(findTargetProblem(target)).toContain('percent-encoded UTF-8');
});
