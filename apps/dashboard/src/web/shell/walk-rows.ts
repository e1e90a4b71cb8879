/** Moves the focus to the row before or after, where the page is a list of links; Enter opens it then. */
export function walkRows(by: 1 | -1): void {
  const rows = [...document.querySelectorAll('#main tbody tr, #main .card')];
  const links = rows.flatMap((row) => row.querySelector<HTMLElement>('a[href]') ?? []);
  const at = links.findIndex((link) => link.matches(':focus'));
  links[at < 0 ? 0 : at + by]?.focus();
}
