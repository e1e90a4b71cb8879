import { execFileSync } from 'node:child_process';
import path from 'node:path';

/** Code of the database and of messages: the preparation and the first message load it. */
const laterModules = [
  '/packages/database/',
  '/packages/pipeline/',
  '/packages/channels/',
  '/packages/shared/',
  '/node_modules/@prisma/',
  '/node_modules/@sinclair/typebox/',
  '/node_modules/bullmq/',
];

test('the supervisor of npm start loads no code of the database and of messages while it rests', () => {
  const listLoaded = `
    require('./dist/main.js');
    console.log(JSON.stringify(Object.keys(require.cache)));`;
  const output = execFileSync(process.execPath, ['-e', listLoaded], {
    cwd: path.resolve(__dirname, '..'),
    encoding: 'utf8',
  });
  const loaded: string[] = JSON.parse(output);
  expect(loaded.length).toBeGreaterThan(50);
  for (const module of laterModules) {
    expect(loaded.filter((file) => file.includes(module))).toEqual([]);
  }
});
