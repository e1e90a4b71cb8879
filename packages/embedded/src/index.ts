export { type CloseOptions, closeFolder } from './account';
export {
  createDatabase,
  dropDatabase,
  listBackends,
  listDatabases,
  withDatabase,
} from './databases';
export { stopLeftovers } from './leftovers';
export { findFreePort, isPortFree } from './ports';
export { startPostgres } from './postgres';
export { writePrivately } from './private-files';
export { describeProcess, hasEnded, isAlive, type ProcessFacts } from './process-facts';
export type { OnProgress } from './progress';
export { findRedisProgram, startRedis } from './redis';
export type { RunningStore } from './store';
