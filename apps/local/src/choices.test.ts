import net from 'node:net';
import { claimPort, readChoices } from './choices';

describe('readChoices', () => {
  test('has defaults for all settings', () => {
    expect(readChoices({}, [])).toEqual({
      databaseUrl: undefined,
      redisUrl: undefined,
      keyRing: undefined,
      apiHost: '127.0.0.1',
      apiPort: 4400,
      dashboardPort: 4401,
      demoPort: 4402,
      hasProcessPerRole: false,
    });
  });

  test('reads variables and options; an empty variable counts as unset', () => {
    const env = {
      DATABASE_URL: 'postgresql://db/x',
      REDIS_URL: ' ',
      API_PORT: '4500',
      DASHBOARD_PORT: '0',
    };
    expect(readChoices(env, ['--processes'])).toMatchObject({
      databaseUrl: 'postgresql://db/x',
      redisUrl: undefined,
      apiPort: 4500,
      dashboardPort: 0,
      hasProcessPerRole: true,
    });
  });

  test.each(['65536', '-1', '44oo', '1.5'])(
    'rejects the port %s and names its variable',
    (port) => {
      expect(() => readChoices({ API_PORT: port }, [])).toThrow('API_PORT must be');
    },
  );

  test('rejects an unknown option and names the help', () => {
    expect(() => readChoices({}, ['--process'])).toThrow(
      /Unknown option --process.*npm start -- --help/,
    );
  });
});

describe('claimPort', () => {
  test('reports a port in use and the variable that changes it', async () => {
    const server = net.createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    await expect(claimPort('API_PORT', '127.0.0.1', port)).rejects.toThrow(
      new RegExp(`Port ${port} .* in use.* API_PORT=\\d+ npm start`),
    );
    server.close();
  });

  test('picks a free port for 0', async () => {
    expect(await claimPort('API_PORT', '127.0.0.1', 0)).toBeGreaterThan(0);
  });
});
