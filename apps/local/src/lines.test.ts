import { createLineSplitter } from './lines';

function split(...chunks: string[]): string[] {
  const lines: string[] = [];
  const splitter = createLineSplitter((line) => lines.push(line));
  for (const chunk of chunks) splitter(Buffer.from(chunk));
  return lines;
}

describe('createLineSplitter', () => {
  test('emits complete lines, however the text is split', () => {
    expect(split('one\ntw', 'o\n\nthr', 'ee', '\nrest')).toEqual(['one', 'two', 'three']);
  });

  test('limits the buffer for a line that never ends', () => {
    const [line] = split(...new Array<string>(30).fill('x'.repeat(10_000)), '\n');
    expect(line?.length).toBeLessThanOrEqual(110_000);
  });
});
