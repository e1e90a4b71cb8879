import { escapeAngle } from '@belfry/shared';

/**
 * Escapes a value for a standard markdown block, where brackets make a link and stars make bold: a
 * backslash makes a character literal. Headings and lists only start at the beginning of a line, so
 * their characters are escaped only there.
 */
export function escapeMarkdown(value: string): string {
  return escapeAngle(
    value
      .replace(/[\\`*_~[\]|]/g, '\\$&')
      .replace(/^([ \t]*)([#+=-])/gm, '$1\\$2')
      .replace(/^([ \t]*\d+)([.)])/gm, '$1\\$2'),
  );
}

/** Keeps only the label of a link whose address is empty. */
export function dropEmptyMarkdownLinks(rendered: string): string {
  return rendered.replace(/\[([^[\]]*)\]\((?:https?:\/\/|mailto:|tel:)?\)/gi, '$1');
}

/** The text that a standard markdown block shows, for literal characters. */
export function toPlainText(source: string): string {
  return source
    .replace(/\\([!-/:-@[-`{-~])/g, '$1')
    .replace(/&(lt|gt|amp);/g, (entity, name: string) => entityCharacters[name] ?? entity);
}

const entityCharacters: Record<string, string> = { lt: '<', gt: '>', amp: '&' };
