/** Colours for a terminal, or none of them. */
export type Paint = ReturnType<typeof createPaint>;

export function createPaint(isColored: boolean) {
  const style = (code: number) => (text: string) =>
    isColored ? `\u001b[${code}m${text}\u001b[0m` : text;
  return { bold: style(1), dim: style(2), red: style(31), green: style(32), yellow: style(33) };
}
