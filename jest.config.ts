/** @jest-config-loader esbuild-register */
import type { Config } from 'jest';

const shared = {
  rootDir: __dirname,
  testEnvironment: 'node',
  transform: {
    '^.+\\.tsx?$': [
      '@swc/jest',
      {
        jsc: { target: 'es2023', parser: { syntax: 'typescript' } },
        module: { type: 'commonjs' },
      },
    ],
  },
  moduleNameMapper: { '^@belfry/([a-z-]+)$': '<rootDir>/packages/$1/src/index.ts' },
  modulePathIgnorePatterns: ['<rootDir>/.*/dist/', '<rootDir>/.belfry/'],
  testPathIgnorePatterns: ['/node_modules/', '/dist/'],
} satisfies Config;

/** Tests that need PostgreSQL and Redis find their URLs in the environment that scripts/test.mjs sets. */
const config: Config = {
  projects: [
    {
      ...shared,
      displayName: 'unit',
      testMatch: ['<rootDir>/{apps,packages,scripts}/**/*.test.ts'],
      testPathIgnorePatterns: [...shared.testPathIgnorePatterns, '\\.(int|fault|e2e)\\.test\\.ts$'],
    },
    {
      ...shared,
      displayName: 'int',
      testMatch: ['<rootDir>/{apps,packages}/**/*.int.test.ts'],
    },
    {
      ...shared,
      displayName: 'e2e',
      testMatch: ['<rootDir>/packages/testing/e2e/**/*.e2e.test.ts'],
    },
    {
      ...shared,
      displayName: 'fault',
      testMatch: ['<rootDir>/{apps,packages}/**/*.fault.test.ts'],
    },
  ],
};

export default config;
