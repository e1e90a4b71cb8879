// node scripts/bundle.mjs BUNDLER FOLDER ENTRY...: bundles modules for browsers, each as NAME.mjs and NAME.cjs in the folder.
// Bundler warnings are errors. The tests of packages/client use this script.
import path from 'node:path';

const bundlers = {
  esbuild: bundleWithEsbuild,
  rollup: bundleWithRollup,
  vite: bundleWithVite,
  webpack: bundleWithWebpack,
};

const [bundler = '', folder = '', ...entries] = process.argv.slice(2);
const warnings = [];
for (const entry of entries) {
  const { name } = path.parse(entry);
  await bundlers[bundler]({ entry, format: 'es', file: `${name}.mjs` });
  await bundlers[bundler]({ entry, format: 'cjs', file: `${name}.cjs` });
}
if (warnings.length > 0) throw new Error(warnings.map(String).join('\n'));

async function bundleWithEsbuild({ entry, format, file }) {
  const { build } = await import('esbuild');
  const result = await build({
    entryPoints: [entry],
    outfile: path.join(folder, file),
    bundle: true,
    format: format === 'es' ? 'esm' : format,
    minify: true,
    sourcemap: true,
    logLevel: 'silent',
  });
  warnings.push(...result.warnings.map(({ text }) => text));
}

async function bundleWithRollup({ entry, format, file }) {
  const { rollup } = await import('rollup');
  const { nodeResolve } = await import('@rollup/plugin-node-resolve');
  const bundle = await rollup({
    input: entry,
    plugins: [nodeResolve({ browser: true })],
    onwarn: ({ message }) => warnings.push(message),
  });
  await bundle.write({ file: path.join(folder, file), format, sourcemap: true });
  await bundle.close();
}

async function bundleWithVite({ entry, format, file }) {
  // biome-ignore lint/correctness/noUndeclaredDependencies: apps/dashboard declares it; npm rejects the lock file if the root declares it, too.
  const { build, createLogger } = await import('vite');
  const logger = createLogger('warn');
  for (const level of ['warn', 'warnOnce', 'error']) {
    logger[level] = (text) => warnings.push(text);
  }
  await build({
    configFile: false,
    customLogger: logger,
    root: path.dirname(entry),
    build: {
      lib: { entry, formats: [format], fileName: () => file },
      outDir: folder,
      emptyOutDir: false,
      sourcemap: true,
    },
  });
}

async function bundleWithWebpack({ entry, format, file }) {
  const { default: webpack } = await import('webpack');
  const isModule = format === 'es';
  const compiler = webpack({
    mode: 'production',
    context: path.dirname(entry),
    entry,
    target: ['web', 'es2022'],
    devtool: 'source-map',
    experiments: { outputModule: isModule },
    output: {
      path: folder,
      filename: file,
      library: { type: isModule ? 'module' : 'commonjs2' },
    },
  });
  const stats = await new Promise((resolve, reject) => {
    compiler.run((error, done) => compiler.close(() => (error ? reject(error) : resolve(done))));
  });
  const result = stats.toJson({ all: false, errors: true, warnings: true });
  warnings.push(...[...result.errors, ...result.warnings].map(({ message }) => message));
}
