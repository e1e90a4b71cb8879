import fc from 'fast-check';

/** Picks one of the words, which spaces separate. */
export const pickWord = (words: string) => fc.constantFrom(...words.split(' '));

/** Pieces of tags, mostly valid. */
const piece = fc.oneof(
  pickWord('{{ }} {{{ }}} { } {{{{ }}}} ~ ( ) [ ] [] " \' | = & ^ # / . .. @ ! \\ \\\\ .#'),
  pickWord('{{a}} {{{b}}} {{this}} {{../a}} {{/if}} {{/each}} {{/with}} {{else}} {{^}}'),
  pickWord('{{! {{!-- --}} {{> {{* {{#> {{#* {{/ {{# {{^ {{& {{~ ~}} {{!x}}'),
  pickWord("a b o list this else eq upper 1 true null @index [a\tb] 'x' text <b> 🎉"),
  fc.constantFrom('{{#if a}}', '{{#each list}}', '{{#with o}}', '{{else if b}}', '{{^if a}}'),
  fc.constantFrom('(eq a b)', '(not ', 'upper ', ' as |x y|', ' ', '\n', '\r\n', '\r', '\t'),
);

export const soup = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(''));
