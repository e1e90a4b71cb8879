import net from 'node:net';
import { refuseUnreachable } from './reach';

describe('refuseUnreachable', () => {
  test('gives a URL back where something listens', async () => {
    const server = net.createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const url = `redis://127.0.0.1:${port}/0`;
    expect(await refuseUnreachable('REDIS_URL', url, 6379)).toBe(url);
    server.close();
  });

  test('names the variable, and not the password, where nothing listens', async () => {
    const attempt = refuseUnreachable('DATABASE_URL', 'postgresql://me:hidden@127.0.0.1:1/x', 5432);
    await expect(attempt).rejects.toThrow(/^Nothing answers where DATABASE_URL points to/);
    await expect(attempt).rejects.not.toThrow('hidden');
  });

  test('refuses what is no URL', async () => {
    await expect(refuseUnreachable('REDIS_URL', 'localhost', 6379)).rejects.toThrow(
      'must be a URL',
    );
  });
});
