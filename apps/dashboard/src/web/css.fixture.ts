/** Instead of a style sheet, which tests do not read. */
// biome-ignore lint/style/noDefaultExport: a CSS module has one.
export default {};
