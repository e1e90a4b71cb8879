/** Everything in one file, for a page without a bundler. */
export { BelfryBellElement, BelfryInboxElement } from './elements';
export { createInbox } from './inbox';
