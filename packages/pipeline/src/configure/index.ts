export { readAlertRule } from './check-alert-rule';
export {
  type CheckedDefinition,
  checkChain,
  checkDefinition,
  type DefinitionFacts,
  findRepeatedLocales,
} from './check-definition';
export { checkIntegration, completeSettings, findProvider } from './check-integration';
export { type Base, emptyBase, type Part, parts } from './compare-files';
export { findProblems } from './find-problems';
export { formatJson } from './format-files';
export {
  isFilled,
  keepEntries,
  makeMissing,
  mergeIntoStored,
  replaceRemoved,
} from './merge-credentials';
export { type PullInput, pullFiles } from './pull-files';
export { type Pushed, pushFiles } from './push-files';
export { FileProblems } from './read-file';
