import net from 'node:net';
import { refuseUnreachable } from './reach';

describe('refuseUnreachable', () => {
  test('returns a URL that accepts connections', async () => {
    const server = net.createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const url = `redis://127.0.0.1:${port}/0`;
    expect(await refuseUnreachable('REDIS_URL', url, 6379)).toBe(url);
    server.close();
  });

  test('names the variable, but not the password, if nothing listens', async () => {
    const attempt = refuseUnreachable('DATABASE_URL', 'postgresql://me:hidden@127.0.0.1:1/x', 5432);
    await expect(attempt).rejects.toThrow(/^DATABASE_URL: cannot connect to 127\.0\.0\.1/);
    await expect(attempt).rejects.not.toThrow('hidden');
  });

  test('rejects an invalid URL', async () => {
    await expect(refuseUnreachable('REDIS_URL', 'localhost', 6379)).rejects.toThrow(
      'must be a URL',
    );
  });
});
