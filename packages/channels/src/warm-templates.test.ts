import { warmTemplates } from './warm-templates';

test('warming templates reads and renders them, and lets other work of the loop go on', async () => {
  let turns = 0;
  const counting = setInterval(() => {
    turns += 1;
  }, 1);
  await warmTemplates();
  clearInterval(counting);
  expect(turns).toBeGreaterThan(0);
});
