import { createAnswers } from './answers';
import type { Answer } from './api';

/** A query whose answer the test resolves. */
function createQuestion() {
  let resolveAnswer: (answer: Answer<string>) => void = () => undefined;
  const answer = new Promise<Answer<string>>((resolve) => {
    resolveAnswer = resolve;
  });
  return { request: () => answer, resolve: (value: string) => resolveAnswer({ value }) };
}

describe('answers', () => {
  test('of two concurrent queries, the answer to the newer one wins', async () => {
    const answers = createAnswers({ now: () => 0 });
    const [older, newer] = [createQuestion(), createQuestion()];
    const loads = [answers.load('key', older.request), answers.load('key', newer.request)];
    newer.resolve('new');
    await loads[1];
    older.resolve('old');
    await loads[0];
    expect(answers.get<string>('key').value).toBe('new');
  });

  test('report a pending query, so that it is not repeated', async () => {
    const answers = createAnswers({ now: () => 0 });
    const [first, second] = [createQuestion(), createQuestion()];
    const loads = [answers.load('key', first.request), answers.load('key', second.request)];
    expect([answers.isLoading('key'), answers.isLoading('other')]).toEqual([true, false]);
    second.resolve('new');
    await loads[1];
    expect(answers.isLoading('key')).toBe(true);
    first.resolve('old');
    await loads[0];
    expect(answers.isLoading('key')).toBe(false);
  });
});
