import { InboxBoundElement } from './element';
import { inboxStyles } from './inbox-styles';
import { themeStyles } from './theme-styles';

/** `<belfry-inbox>`: the list of notifications. Set its property `inbox`. */
export class BelfryInboxElement extends InboxBoundElement {
  #observer: IntersectionObserver | undefined;
  #isOnScreen = false;

  override connectedCallback(): void {
    this.#observer = new IntersectionObserver((entries) => {
      this.#isOnScreen = entries.at(-1)?.isIntersecting ?? false;
      this.planRender();
    });
    this.#observer.observe(this);
    super.connectedCallback();
  }

  override disconnectedCallback(): void {
    this.#observer?.disconnect();
    super.disconnectedCallback();
  }

  protected build(list: HTMLElement): Node[] {
    return [list];
  }

  protected getStyles(): string[] {
    return [themeStyles, inboxStyles];
  }

  protected isListShown(): boolean {
    return this.#isOnScreen;
  }
}
