export { readAlertRule } from './check-alert-rule';
export {
  type CheckedDefinition,
  checkChain,
  checkDefinition,
  type DefinitionFacts,
  findRepeatedLocales,
} from './check-definition';
export { checkIntegration, completeSettings, findProvider } from './check-integration';
export { findProblems } from './find-problems';
export {
  isFilled,
  keepEntries,
  makeMissing,
  mergeIntoStored,
  replaceRemoved,
} from './merge-credentials';
