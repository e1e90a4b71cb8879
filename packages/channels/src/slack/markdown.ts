import { escapeAngle } from '@belfry/shared';

/**
 * Escapes a value for the block of standard markdown, where brackets make a link and stars make bold: a backslash takes
 * a sign its meaning. What is a heading or a list is so only where a line begins, and left alone elsewhere.
 */
export function escapeMarkdown(value: string): string {
  return escapeAngle(
    value
      .replace(/[\\`*_~[\]|]/g, '\\$&')
      .replace(/^([ \t]*)([#+=-])/gm, '$1\\$2')
      .replace(/^([ \t]*\d+)([.)])/gm, '$1\\$2'),
  );
}

/** Leaves the label of a link whose address is empty. */
export function dropEmptyMarkdownLinks(rendered: string): string {
  return rendered.replace(/\[([^[\]]*)\]\((?:https?:\/\/|mailto:|tel:)?\)/gi, '$1');
}

/** The text that a block of standard markdown shows, where its signs are not taken for markup. */
export function toPlainText(source: string): string {
  return source
    .replace(/\\([!-/:-@[-`{-~])/g, '$1')
    .replace(/&(lt|gt|amp);/g, (entity, name: string) => signs[name] ?? entity);
}

const signs: Record<string, string> = { lt: '<', gt: '>', amp: '&' };
