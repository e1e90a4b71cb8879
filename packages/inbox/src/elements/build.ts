type Child = Node | string | undefined;

/**
 * Creates an element. Texts become text nodes, so that nothing is read as HTML. A `part`, the name for style sheets of the
 * page, is also a class.
 */
export function build<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Record<string, string | undefined> = {},
  ...children: Child[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) {
    if (value !== undefined) element.setAttribute(attribute, value);
    if (attribute === 'part') element.className = value ?? '';
  }
  element.append(...children.filter((child) => child !== undefined));
  return element;
}

export function buildButton(part: string, onClick: () => void, ...children: Child[]) {
  const button = build('button', { type: 'button', part }, ...children);
  button.addEventListener('click', onClick);
  return button;
}

const svg = 'http://www.w3.org/2000/svg';

export const icons = {
  bell: 'M4.6 12.7V9a5.4 5.4 0 0 1 10.8 0v3.7l1.3 1.9H3.3zM8.2 17a2 2 0 0 0 3.6 0',
  check: 'm4.5 10.6 3.7 3.7 7.3-8.1',
  dot: 'M10 7.4a2.6 2.6 0 1 1 0 5.2 2.6 2.6 0 0 1 0-5.2z',
  archive: 'M3.5 4.5h13v3.2h-13zM4.7 7.7v7.8h10.6V7.7M8.2 10.7h3.6',
  close: 'm5.3 5.3 9.4 9.4m0-9.4-9.4 9.4',
};

/** A drawing in the color of the text. Its button has the name. */
export function buildIcon(path: string): SVGElement {
  const icon = document.createElementNS(svg, 'svg');
  icon.setAttribute('viewBox', '0 0 20 20');
  icon.setAttribute('aria-hidden', 'true');
  const line = document.createElementNS(svg, 'path');
  line.setAttribute('d', path);
  icon.append(line);
  return icon;
}

const sheets = new Map<string, CSSStyleSheet>();

/** One sheet for all elements of the page. It needs no permission of a content security policy, as a style element would. */
export function adoptStyles(root: ShadowRoot, texts: readonly string[]): void {
  root.adoptedStyleSheets = texts.map((css) => {
    const sheet = sheets.get(css) ?? new CSSStyleSheet();
    if (!sheets.has(css)) sheet.replaceSync(css);
    sheets.set(css, sheet);
    return sheet;
  });
}

/** Writes only a changed text: a live region would read an equal one again. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}
