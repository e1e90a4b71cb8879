export { type Batcher, BatcherFullError, type BatcherOptions, createBatcher } from './batcher';
export { type Env, EnvError, readEnv } from './env';
export { newId } from './ids';
export { createLogger, type LogFields, type Logger } from './log';
export { createKeyRing, createSecrets, SecretError, type Secrets } from './secrets';
export { type Setting, type SettingName, settings } from './settings';
export { createShutdown, exitOnSignals, type Shutdown } from './shutdown';
