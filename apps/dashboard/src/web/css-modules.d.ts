declare module '*.module.css' {
  const classNames: Readonly<Record<string, string>>;
  // biome-ignore lint/style/noDefaultExport: Vite exports the class names of a CSS module in this way.
  export default classNames;
}
