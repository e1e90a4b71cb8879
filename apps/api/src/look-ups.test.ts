import { createGatewayLookUps } from './look-ups';

type StoredLookUps = Parameters<typeof createGatewayLookUps>[0];

function setUp(ttlMs: number, changes: Partial<StoredLookUps> = {}) {
  const queries: string[] = [];
  const lookUps = createGatewayLookUps(
    {
      findApiKey: async () => undefined,
      readApiKeyIds: async () => [],
      readAppIds: async () => [],
      findSealedKeys: async () => [],
      findSealedSecrets: async () => [],
      findApp: async () => undefined,
      findVersion: async () => undefined,
      findUsers: async () => new Map(),
      findIntegration: async () => undefined,
      findEvent: async (appId, name) => {
        queries.push(`${appId} ${name}`);
        return name === 'unknown' ? undefined : { id: name, appId, name, liveVersionId: 'v' };
      },
      ...changes,
    },
    { ttlMs, maxEntries: 10, isTrustedProxy: () => false },
  );
  return { lookUps, queries };
}

describe('createGatewayLookUps', () => {
  test('caches an event by its app and its whole name', async () => {
    const { lookUps, queries } = setUp(1_000);
    for (const name of ['a/b', 'a/b', 'a']) {
      expect(await lookUps.findEvent('app', name)).toMatchObject({ appId: 'app', name });
    }
    await lookUps.findEvent('app2', 'a');
    expect(queries).toEqual(['app a/b', 'app a', 'app2 a']);
  });

  test('looks up an unknown event again', async () => {
    const { lookUps, queries } = setUp(1_000);
    await lookUps.findEvent('app', 'unknown');
    await lookUps.findEvent('app', 'unknown');
    expect(queries).toHaveLength(2);
  });

  test('looks up an event again that had no live version', async () => {
    const versions = [undefined, 'v'];
    const { lookUps } = setUp(1_000, {
      findEvent: async (appId, name) => ({
        id: name,
        appId,
        name,
        liveVersionId: versions.shift(),
      }),
    });
    expect(await lookUps.findEvent('app', 'a')).toMatchObject({ liveVersionId: undefined });
    expect(await lookUps.findEvent('app', 'a')).toMatchObject({ liveVersionId: 'v' });
    expect(await lookUps.findEvent('app', 'a')).toMatchObject({ liveVersionId: 'v' });
  });

  test('refuses with 503 if the store does not respond, and tries again for the next call', async () => {
    let isStoreDown = true;
    const { lookUps } = setUp(1_000, {
      findApp: async (id) => {
        if (isStoreDown) throw new Error('connection refused');
        const app = {
          accountId: 'a',
          name: 'n',
          openInboxCounters: false,
          inboxSignature: true,
          defaultRegion: null,
          isStorageFull: false,
        };
        return { id, delivery: 'live', ...app };
      },
    });
    await expect(lookUps.findApp('app')).rejects.toMatchObject({
      code: 'unavailable',
      status: 503,
      headers: { 'Retry-After': '1' },
    });
    isStoreDown = false;
    expect(await lookUps.findApp('app')).toMatchObject({ id: 'app' });
  });

  test('refuses a value that PostgreSQL cannot store with 422', async () => {
    const { lookUps } = setUp(1_000, {
      findUsers: async () => {
        throw Object.assign(new Error('invalid byte sequence'), { code: '22021' });
      },
    });
    await expect(lookUps.findUser('app', 'u')).rejects.toMatchObject({ status: 422 });
  });
});
