import path from 'node:path';
import { type BuildOptions, build } from 'esbuild';

/** Bundles a module for a browser, which can import the built package and React. */
export async function bundle(
  code: string,
  { isMinified = false }: { isMinified?: boolean } = {},
): Promise<string> {
  const options: BuildOptions = {
    stdin: { contents: code, resolveDir: path.join(__dirname, '..'), loader: 'jsx' },
    bundle: true,
    minify: isMinified,
    format: 'esm',
    target: 'es2022',
    charset: 'utf8',
    jsx: 'automatic',
    // React checks components twice only in development.
    define: { 'process.env.NODE_ENV': isMinified ? '"production"' : '"development"' },
    write: false,
  };
  const { outputFiles } = await build(options);
  return outputFiles?.[0]?.text ?? '';
}
