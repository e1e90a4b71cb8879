import path from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** Every URL in the output is relative: the page works under any host, port and sub-path. */
export default defineConfig({
  root: path.join(import.meta.dirname, 'src/web'),
  base: './',
  plugins: [react()],
  // Its sources, of which the page takes the few things that it uses; what is compiled comes as a whole.
  resolve: {
    alias: {
      '@belfry/shared': path.join(import.meta.dirname, '../../packages/shared/src/index.ts'),
    },
  },
  build: {
    outDir: path.join(import.meta.dirname, 'dist/web'),
    emptyOutDir: true,
    target: 'es2022',
    // Nothing is inlined as a data URL, and there is no inline script: the Content-Security-Policy allows neither.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
});
