import request from 'supertest';
import { createGateway } from '../gateway.fixture';

describe('GET /livez', () => {
  test('answers while the stores are away', async () => {
    const { server } = createGateway({ ready: () => Promise.reject(new Error('away')) });
    expect((await request(server).get('/livez')).status).toBe(200);
  });
});

describe('GET /readyz', () => {
  test.each<[string, () => Promise<boolean>, number]>([
    ['the stores answer', async () => true, 200],
    ['a store does not answer', async () => false, 503],
    ['asking fails', () => Promise.reject(new Error('away')), 503],
  ])('when %s', async (_, ready, status) => {
    const { server } = createGateway({ ready });
    const response = await request(server).get('/readyz');
    expect(response.status).toBe(status);
    expect(response.headers['content-type']).toBe('application/json');
  });
});
