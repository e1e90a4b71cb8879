const small = ['--max-old-space-size=384', '--max-semi-space-size=16'];

/**
 * V8 flags of each program; Node 20 and 24 accept all of them. `npm start` and the benchmark pass them on.
 * docker-compose.yml and the Dockerfile cannot import them, so a test compares. The reasons are in docs/explanation/performance.md.
 */
export const nodeOptions: Record<'api' | 'worker' | 'dashboard' | 'cli', readonly string[]> = {
  api: ['--max-old-space-size=512', '--max-semi-space-size=16', '--no-parallel-scavenge'],
  worker: small,
  dashboard: small,
  cli: small,
};
