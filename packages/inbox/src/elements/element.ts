import type { Inbox, InboxItem } from '../types';
import { adoptStyles, build, setText } from './build';
import { createInboxView, type InboxView } from './inbox-view';
import { takeNews } from './news';
import { describeNews, findLanguageTag, findStrings, type InboxStrings } from './strings';
import { formatNumber } from './times';

export type Texts = { strings: InboxStrings; language: string };

/** On a server there are no elements, but the module can be imported. */
const Base = globalThis.HTMLElement ?? (class {} as typeof HTMLElement);

const renderEveryMs = 60_000;

/** Both components have an inbox and its list, and render after every change. */
export abstract class InboxBoundElement extends Base {
  static observedAttributes = ['lang', 'badge'];

  #inbox: Inbox | undefined;
  #strings: Partial<InboxStrings> = {};
  #view: InboxView | undefined;
  #live: HTMLElement | undefined;
  #stop: (() => void) | undefined;
  #isRenderPlanned = false;

  /** Lays out the list in the shadow tree. */
  protected abstract build(list: HTMLElement): Node[];
  protected abstract getStyles(): string[];
  /** The reader can see the list now. */
  protected abstract isListShown(): boolean;
  protected renderMore(_inbox: Inbox, _texts: Texts): void {}

  get inbox(): Inbox | undefined {
    return this.#inbox;
  }

  set inbox(inbox: Inbox | undefined) {
    if (inbox === this.#inbox) return;
    this.#disconnect();
    this.#inbox = inbox;
    if (inbox) this.#build(inbox);
    if (this.isConnected) this.#connect();
  }

  /** Replaces single texts. */
  get strings(): Partial<InboxStrings> {
    return this.#strings;
  }

  set strings(strings: Partial<InboxStrings> | undefined) {
    this.#strings = strings ?? {};
    this.planRender();
  }

  connectedCallback(): void {
    // A value that was set before the element was defined hides the accessor.
    for (const name of ['strings', 'inbox'] as const) {
      if (!Object.hasOwn(this, name)) continue;
      const value = this[name];
      Reflect.deleteProperty(this, name);
      Object.assign(this, { [name]: value });
    }
    this.#connect();
  }

  disconnectedCallback(): void {
    this.#disconnect();
  }

  attributeChangedCallback(): void {
    this.planRender();
  }

  /** Moves the focus to the current item. */
  focusItem(): void {
    this.#view?.focus();
  }

  /** Several changes in a row are rendered once. */
  protected planRender(): void {
    if (this.#isRenderPlanned) return;
    this.#isRenderPlanned = true;
    queueMicrotask(() => {
      this.#isRenderPlanned = false;
      if (this.#stop) this.#render();
    });
  }

  #build(inbox: Inbox): void {
    this.#view = createInboxView({ inbox, onOpen: (item, cause) => this.#notifyPage(item, cause) });
    this.#live = build('div', { class: 'hidden-text', role: 'status' });
    const root = this.shadowRoot ?? this.attachShadow({ mode: 'open' });
    adoptStyles(root, this.getStyles());
    root.replaceChildren(...this.build(this.#view.element), this.#live);
  }

  #render(): void {
    const inbox = this.#inbox;
    if (!inbox || !this.#live) return;
    const language = findLanguageTag(this);
    const strings = findStrings(language, this.#strings);
    const isShown = this.isListShown() && document.visibilityState === 'visible';
    // The view marks shown items as seen, and seen items are no news.
    const [first, ...others] = takeNews(inbox);
    this.#view?.render({ strings, language, isShown });
    const { title, body = '' } = first?.message_body ?? {};
    const news = others.length > 0 ? formatNumber(language, others.length + 1) : title || body;
    if (first) setText(this.#live, describeNews(strings, news));
    this.renderMore(inbox, { strings, language });
  }

  /** An application with its own router prevents the navigation. */
  #notifyPage(item: InboxItem, cause: Event): void {
    const options = { detail: { item }, bubbles: true, composed: true, cancelable: true };
    const isKept = this.dispatchEvent(new CustomEvent('belfry-open', options));
    if (!isKept) cause.preventDefault();
  }

  #connect(): void {
    if (!this.#inbox || this.#stop) return;
    const render = () => this.planRender();
    const unsubscribe = this.#inbox.subscribe(render);
    const timer = setInterval(render, renderEveryMs);
    addEventListener('visibilitychange', render);
    this.#stop = () => {
      unsubscribe();
      clearInterval(timer);
      removeEventListener('visibilitychange', render);
    };
    render();
  }

  #disconnect(): void {
    this.#stop?.();
    this.#stop = undefined;
  }
}
