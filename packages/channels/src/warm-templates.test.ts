import { warmTemplates } from './warm-templates';

test('warming templates parses and renders them without blocking the event loop', async () => {
  let ticks = 0;
  const counting = setInterval(() => {
    ticks += 1;
  }, 1);
  await warmTemplates();
  clearInterval(counting);
  expect(ticks).toBeGreaterThan(0);
});
