export function readTestEnv(name: 'TEST_DATABASE_TEMPLATE_URL' | 'TEST_REDIS_URL'): string {
  const value = process.env[name];
  if (!value) {
    throw new Error(
      `${name} is not set: a test that needs a store belongs in a file of the Jest project int, e2e or fault`,
    );
  }
  return value;
}

export function workerId(): number {
  return Number(process.env['JEST_WORKER_ID'] ?? 1);
}
