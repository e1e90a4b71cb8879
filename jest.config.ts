/** @jest-config-loader esbuild-register */
import type { Config } from 'jest';

/** Each test file loads its modules anew: with `lazy`, packages are loaded on first use, which saves most of them. */
function compile(lazy: boolean): NonNullable<Config['transform']> {
  const react = { runtime: 'automatic' };
  const parser = { syntax: 'typescript', tsx: true };
  const jsc = { target: 'es2023', parser: { syntax: 'typescript' } };
  const module = { type: 'commonjs', lazy };
  return {
    '^.+\\.ts$': ['@swc/jest', { jsc, module }],
    '^.+\\.tsx$': ['@swc/jest', { jsc: { ...jsc, parser, transform: { react } }, module }],
  };
}

const shared = {
  rootDir: __dirname,
  roots: ['<rootDir>/apps', '<rootDir>/packages'],
  testEnvironment: 'node',
  transform: compile(true),
  moduleNameMapper: {
    '^@belfry/pipeline/([a-z-]+)$': '<rootDir>/packages/pipeline/src/$1/index.ts',
    '^@belfry/([a-z-]+)$': '<rootDir>/packages/$1/src/index.ts',
  },
  modulePathIgnorePatterns: ['<rootDir>/.*/dist/', '<rootDir>/.belfry/'],
  testPathIgnorePatterns: ['/node_modules/', '/dist/'],
} satisfies Config;

/** PostgreSQL and Redis for the tests that need them: those of `npm test`, or started here for a run by hand. */
const withStores = {
  ...shared,
  globalSetup: '<rootDir>/packages/testing/src/jest-stores.ts',
  globalTeardown: '<rootDir>/packages/testing/src/jest-stores-end.ts',
} satisfies Config;

const config: Config = {
  // Two cores are shared by the stores, the processes under test and the tests.
  testTimeout: 30_000,
  testSequencer: '<rootDir>/scripts/jest-order.mjs',
  projects: [
    {
      ...shared,
      displayName: 'unit',
      testMatch: ['<rootDir>/{apps,packages}/**/*.test.ts'],
      testPathIgnorePatterns: [...shared.testPathIgnorePatterns, '\\.(int|fault|e2e)\\.test\\.ts$'],
    },
    {
      ...shared,
      displayName: 'page',
      testEnvironment: 'jest-environment-jsdom',
      // Testing Library registers hooks when it is loaded.
      transform: compile(false),
      moduleNameMapper: {
        ...shared.moduleNameMapper,
        '\\.css$': '<rootDir>/apps/dashboard/src/web/css.fixture.ts',
      },
      setupFiles: ['<rootDir>/apps/dashboard/src/web/jsdom.fixture.ts'],
      testMatch: ['<rootDir>/apps/dashboard/src/web/**/*.test.tsx'],
    },
    {
      ...withStores,
      displayName: 'int',
      testMatch: ['<rootDir>/{apps,packages}/**/*.int.test.ts'],
    },
    {
      ...withStores,
      displayName: 'e2e',
      testMatch: ['<rootDir>/packages/testing/e2e/**/*.e2e.test.ts'],
    },
    {
      ...withStores,
      displayName: 'fault',
      testMatch: ['<rootDir>/{apps,packages}/**/*.fault.test.ts'],
    },
  ],
};

export default config;
