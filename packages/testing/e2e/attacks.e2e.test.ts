import { attacks, openTarget, type Target } from '@belfry/testing';

const startTimeoutMs = 240_000;
const attackTimeoutMs = 120_000;

let target: Target;

beforeAll(async () => {
  target = await openTarget();
}, startTimeoutMs);

beforeEach(() => target.local.waitUntilUp(), attackTimeoutMs);

afterAll(() => target?.close(), startTimeoutMs);

/** Runs the reproductions of a security review against a fresh `npm start`. */
describe('npm start under attack', () => {
  test.each(attacks)('$kind: $title', ({ run }) => run(target), attackTimeoutMs);
});
