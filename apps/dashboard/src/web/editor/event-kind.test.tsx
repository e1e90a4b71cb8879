import { cleanup, screen } from '@testing-library/react';
import { createTestApi, renderPart } from '../render-part.fixture';
import { EventKind } from './event-kind';
import type { Draft } from './use-draft';

afterEach(cleanup);

test('a category is listed by its name in the default language of the event', async () => {
  const texts = { de: { name: 'Neues', description: '' }, en: { name: 'News', description: '' } };
  const categories = [{ slug: 'updates', position: 1, updatedAt: 0, texts }];
  const definition = { defaultLocale: 'en', kind: 'optional', category: 'updates', channels: {} };
  renderPart(
    <EventKind draft={{ definition, set: () => undefined } as unknown as Draft} />,
    createTestApi({ 'GET /api/apps/:appId/categories': { max: 50, categories } }),
  );
  expect(await screen.findByRole('option', { name: 'News (updates)' })).toBeTruthy();
});
