import { cleanup, screen } from '@testing-library/react';
import { createApp, createTestApi, renderPart } from '../render-part.fixture';
import { StorageBar } from './storage-bar';

afterEach(cleanup);

test.each([true, false])('a reached storage limit is shown: %s', (isStorageFull) => {
  const apps = [{ ...createApp('a', 'Shop'), isStorageFull }];
  renderPart(<StorageBar />, createTestApi({}), { apps });
  expect(screen.queryByText(/Sends get 429/) !== null).toBe(isStorageFull);
});
