/** Moves the focus to the previous or next row of a table or list; Enter opens it. */
export function walkRows(by: 1 | -1): void {
  const rows = [...document.querySelectorAll('#main tbody tr, #main li')];
  const links = rows.flatMap((row) => row.querySelector<HTMLElement>('a[href]') ?? []);
  const at = links.findIndex((link) => link.matches(':focus'));
  links[at < 0 ? 0 : at + by]?.focus();
}
