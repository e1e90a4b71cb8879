import { BelfryBellElement } from './bell-element';
import { BelfryInboxElement } from './inbox-element';

/** Without a registry, as on a server, this does nothing. */
export function defineElements(): void {
  const registry = globalThis.customElements;
  if (!registry || registry.get('belfry-inbox')) return;
  registry.define('belfry-inbox', BelfryInboxElement);
  registry.define('belfry-bell', BelfryBellElement);
}
