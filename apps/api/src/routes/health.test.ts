import request from 'supertest';
import { createGateway } from '../gateway.fixture';

describe('GET /livez', () => {
  test('returns 200 while the stores are unavailable', async () => {
    const { server } = createGateway({ ready: () => Promise.reject(new Error('unavailable')) });
    expect((await request(server).get('/livez')).status).toBe(200);
  });
});

describe('GET /readyz', () => {
  test.each<[string, () => Promise<boolean>, number]>([
    ['the stores respond', async () => true, 200],
    ['a store does not respond', async () => false, 503],
    ['the check fails', () => Promise.reject(new Error('unavailable')), 503],
  ])('if %s', async (_, ready, status) => {
    const { server } = createGateway({ ready });
    const response = await request(server).get('/readyz');
    expect(response.status).toBe(status);
    expect(response.headers['content-type']).toBe('application/json');
  });
});
