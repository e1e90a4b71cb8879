import crypto from 'node:crypto';
import { newId } from '@belfry/runtime';
import { signReaderToken } from '@belfry/testing';

const appId = newId();
const secret = { id: newId(), secret: 'not-a-secret-'.repeat(3) };

test('a token is verified without trying to read its secret as a public key, which fails slowly', () => {
  const createPublicKey = jest.spyOn(crypto, 'createPublicKey');
  const token = signReaderToken(secret, { appId, userId: 'ana' });
  // The library keeps the functions of `crypto` that it finds when it is loaded.
  jest.isolateModules(() => {
    const { verifyReaderToken } = require('./reader-token') as typeof import('./reader-token');
    expect(verifyReaderToken(token, appId, [secret])).toMatchObject({ userId: 'ana' });
  });
  expect(createPublicKey).not.toHaveBeenCalled();
  createPublicKey.mockRestore();
});
