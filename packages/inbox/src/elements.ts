import type { BelfryBellElement } from './elements/bell-element';
import { defineElements } from './elements/define';
import type { BelfryInboxElement } from './elements/inbox-element';

export { BelfryBellElement } from './elements/bell-element';
export { BelfryInboxElement } from './elements/inbox-element';
export type { InboxStrings } from './elements/strings';

defineElements();

declare global {
  interface HTMLElementTagNameMap {
    'belfry-bell': BelfryBellElement;
    'belfry-inbox': BelfryInboxElement;
  }
}
