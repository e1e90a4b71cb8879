const controls =
  'a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled), textarea:not(:disabled), [tabindex="0"]';

/** Remembers the element that has the focus. The result focuses it again, or a control near it if it cannot be focused. */
export function rememberFocus(): () => void {
  const element = document.activeElement;
  const parents = listParents(element);
  return function returnFocus() {
    if (!(element instanceof HTMLElement)) return;
    element.focus();
    if (document.activeElement !== element) findControlNear(element, parents)?.focus();
  };
}

/** Read while the element is on the page, because it may be gone later. */
function listParents(element: Element | null): Element[] {
  const parent = element?.parentElement;
  return parent && parent !== document.body ? [parent, ...listParents(parent)] : [];
}

/** The control before a disabled element, or the first one of the nearest part of the page that is left. */
function findControlNear(element: Element, parents: Element[]): HTMLElement | undefined {
  for (const parent of parents.filter(({ isConnected }) => isConnected)) {
    const all = [...parent.querySelectorAll<HTMLElement>(controls)];
    const control = all.findLast((each) => isBefore(each, element)) ?? all[0];
    if (control) return control;
  }
  return undefined;
}

function isBefore(control: Element, element: Element): boolean {
  const position = control.compareDocumentPosition(element);
  return element.isConnected && (position & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
}
