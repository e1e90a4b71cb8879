// Builds Markdown for the generated documents.

export function page(title, source, parts) {
  return `${[
    `# ${title}`,
    `<!-- Generated from ${source} by \`npm run docs\`. Do not edit. -->`,
    ...parts,
  ].join('\n\n')}\n`;
}

export function list(items) {
  return items.map((item) => `- ${item.replaceAll('\n', ' ')}`).join('\n');
}

/** Aligned, like the formatter does. */
export function table(head, rows) {
  const all = [head, ...rows].map((cells) => cells.map(cell));
  const widths = head.map((_, column) => Math.max(3, ...all.map((cells) => cells[column].length)));
  const line = (cells) => `| ${cells.map((text, at) => text.padEnd(widths[at])).join(' | ')} |`;
  const rule = line(widths.map((width) => '-'.repeat(width)));
  const [first, ...others] = all.map(line);
  return [first, rule, ...others].join('\n');
}

function cell(value) {
  return String(value).replaceAll('|', '\\|').replaceAll('\n', ' ');
}

export function code(text) {
  return `\`${text}\``;
}
