import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** The server sends these instead of compressing the files for each answer. Brotli compresses as far as it can by default. */
const compressFiles: Plugin = {
  name: 'compress-files',
  writeBundle({ dir = '' }, files) {
    for (const name of Object.keys(files).filter((each) => /^assets\/.*\.(js|css)$/.test(each))) {
      const file = path.join(dir, name);
      writeFileSync(`${file}.br`, brotliCompressSync(readFileSync(file)));
    }
  },
};

/** Every URL in the output is relative, so the page works under any host, port and sub-path. */
export default defineConfig({
  root: path.join(import.meta.dirname, 'src/web'),
  base: './',
  plugins: [react(), compressFiles],
  // Uses the sources, so that tree shaking works; the compiled CommonJS would be bundled completely.
  resolve: {
    alias: {
      '@belfry/shared': path.join(import.meta.dirname, '../../packages/shared/src/index.ts'),
    },
  },
  build: {
    outDir: path.join(import.meta.dirname, 'dist/web'),
    emptyOutDir: true,
    target: 'es2022',
    // No data URLs and no inline scripts, because the Content-Security-Policy forbids both.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
});
