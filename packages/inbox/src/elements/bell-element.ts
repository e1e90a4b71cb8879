import type { Inbox } from '../types';
import { bellStyles } from './bell-styles';
import { build, buildButton, buildIcon, icons, setText } from './build';
import { InboxBoundElement, type Texts } from './element';
import { inboxStyles } from './inbox-styles';
import { computePlace } from './place';
import { describeNews } from './strings';
import { themeStyles } from './theme-styles';
import { formatNumber } from './times';

const maxBadge = 99;

/** `<belfry-bell>`: a button with a count that opens the list. Set its property `inbox`. */
export class BelfryBellElement extends InboxBoundElement {
  #parts: ReturnType<typeof buildParts> | undefined;
  /** Holds only the place of the list. A style attribute would need permission of a content security policy. */
  #place: CSSStyleSheet | undefined;
  readonly #move = () => this.#updatePlace();

  /** Opens or closes the list. */
  toggle(isOpen?: boolean): void {
    this.#parts?.popover.togglePopover(isOpen);
  }

  override disconnectedCallback(): void {
    this.#follow(false);
    super.disconnectedCallback();
  }

  protected build(list: HTMLElement): Node[] {
    const parts = buildParts(list);
    const { popover, button } = parts;
    this.#parts = parts;
    popover.addEventListener('beforetoggle', ({ newState }) => this.#follow(newState === 'open'));
    popover.addEventListener('toggle', ({ newState }) => {
      const isOpen = newState === 'open';
      button.setAttribute('aria-expanded', String(isOpen));
      if (isOpen) this.focusItem();
      // Unless the reader has chosen another element by a click.
      else if ([this, document.body].includes(document.activeElement as this)) button.focus();
      this.planRender();
    });
    this.addEventListener('belfry-open', () => this.toggle(false));
    this.#place = new CSSStyleSheet();
    this.shadowRoot?.adoptedStyleSheets.push(this.#place);
    return [button, popover];
  }

  protected getStyles(): string[] {
    return [themeStyles, inboxStyles, bellStyles];
  }

  protected isListShown(): boolean {
    return this.#parts?.popover.matches(':popover-open') ?? false;
  }

  protected override renderMore(inbox: Inbox, { strings, language }: Texts): void {
    const parts = this.#parts;
    if (!parts) return;
    const { counts } = inbox.getSnapshot();
    const count = this.getAttribute('badge') === 'unread' ? counts.unread : counts.unseen;
    const shown = formatNumber(language, Math.min(count, maxBadge)) + (count > maxBadge ? '+' : '');
    setText(parts.badge, count > 0 ? shown : '');
    const name = count > 0 ? describeNews(strings, shown) : strings.title;
    parts.button.setAttribute('aria-label', name);
    parts.popover.setAttribute('aria-label', strings.title);
    parts.close.setAttribute('aria-label', strings.close);
    parts.close.title = strings.close;
  }

  /** Keeps the list beside the button while it is open. */
  #follow(isOpen: boolean): void {
    removeEventListener('resize', this.#move);
    removeEventListener('scroll', this.#move, true);
    if (!isOpen) return;
    this.#updatePlace();
    addEventListener('resize', this.#move);
    addEventListener('scroll', this.#move, true);
  }

  #updatePlace(): void {
    const box = this.#parts?.button.getBoundingClientRect();
    const isRtl = getComputedStyle(this).direction === 'rtl';
    const window = { width: innerWidth, height: innerHeight };
    if (box) this.#place?.replaceSync(computePlace(box, window, isRtl));
  }
}

function buildParts(list: HTMLElement) {
  const popover = build('div', { id: 'list', part: 'popover', popover: '', role: 'dialog' }, list);
  const close = buildButton('close', () => popover.hidePopover(), buildIcon(icons.close));
  list.querySelector('.header')?.append(close);
  const badge = build('span', { part: 'badge', 'aria-hidden': 'true' });
  const icon = build('slot', { name: 'icon' }, buildIcon(icons.bell));
  const attributes = {
    type: 'button',
    part: 'bell',
    popovertarget: 'list',
    'aria-haspopup': 'dialog',
    'aria-expanded': 'false',
  };
  return { popover, close, badge, button: build('button', attributes, icon, badge) };
}
