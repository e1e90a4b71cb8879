import path from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** Every URL in the output is relative, so the page works under any host, port and sub-path. */
export default defineConfig({
  root: path.join(import.meta.dirname, 'src/web'),
  base: './',
  plugins: [react()],
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
