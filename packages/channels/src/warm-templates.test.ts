import { warmTemplates } from './warm-templates';

test('warming templates reads and renders them, and lets other work of the loop go on', async () => {
  let ticks = 0;
  const counting = setInterval(() => {
    ticks += 1;
  }, 1);
  await warmTemplates();
  clearInterval(counting);
  expect(ticks).toBeGreaterThan(0);
});
