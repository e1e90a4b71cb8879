import { createAnswers } from './answers';
import type { Answer } from './api';

/** A question whose answer comes when it is told. */
function createQuestion() {
  let tell: (answer: Answer<string>) => void = () => undefined;
  const answer = new Promise<Answer<string>>((resolve) => {
    tell = resolve;
  });
  return { ask: () => answer, tell: (value: string) => tell({ value }) };
}

describe('answers', () => {
  test('of two questions that are open at once, the answer to the newer one stands', async () => {
    const answers = createAnswers({ now: () => 0 });
    const [older, newer] = [createQuestion(), createQuestion()];
    const loads = [answers.load('key', older.ask), answers.load('key', newer.ask)];
    newer.tell('new');
    await loads[1];
    older.tell('old');
    await loads[0];
    expect(answers.get<string>('key').value).toBe('new');
  });

  test('tell whether one is still to come, so that nobody asks over it', async () => {
    const answers = createAnswers({ now: () => 0 });
    const [first, second] = [createQuestion(), createQuestion()];
    const loads = [answers.load('key', first.ask), answers.load('key', second.ask)];
    expect([answers.isAsking('key'), answers.isAsking('other')]).toEqual([true, false]);
    second.tell('new');
    await loads[1];
    expect(answers.isAsking('key')).toBe(true);
    first.tell('old');
    await loads[0];
    expect(answers.isAsking('key')).toBe(false);
  });
});
