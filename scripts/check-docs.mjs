// Checks the documents as far as a machine can: generated ones are current; every file, script, link, test, lint rule and label
// of the dashboard that a document names exists; every screenshot is shown by a page.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { endOnSignals, root, runCommand } from './commands.mjs';
import { fail, StepError } from './steps.mjs';

const docsTimeoutMs = 300_000;
const screenshots = 'docs/screenshots';
const folders = ['.ci', 'apps', 'bench', 'deploy', 'docs', 'packages', 'prisma', 'scripts'];

/** Read once, by `readLabels`. */
let labelSources;

endOnSignals();
main().catch(fail);

async function main() {
  const documents = listDocuments();
  const problems = documents.flatMap(findProblems);
  problems.push(...findUnusedScreenshots(documents));
  const generated = await runCommand(process.execPath, ['scripts/docs.mjs', '--check'], {
    timeoutMs: docsTimeoutMs,
  });
  if (generated.code !== 0) problems.push(generated.output.trim());
  if (problems.length > 0) throw new StepError(problems.join('\n'));
  console.log(`${documents.length} documents match the code.`);
}

function listDocuments() {
  const inDocs = readdirSync(path.join(root, 'docs'), { recursive: true });
  return [
    ...readdirSync(root),
    ...inDocs.map((file) => path.posix.join('docs', file.replaceAll('\\', '/'))),
  ].filter((file) => file.endsWith('.md'));
}

function findProblems(document) {
  const text = readText(document);
  return [
    ...missingFiles(text),
    ...missingScripts(text),
    ...brokenLinks(document, text),
    ...missingTests(text),
    ...missingRules(text),
    ...missingLabels(text),
  ].map((problem) => `${document}: ${problem}`);
}

/** Any path from the root, also in prose, so the files of the walk in architecture.md are checked. Paths with placeholders are not. */
function missingFiles(text) {
  const pattern = new RegExp(`(?<![\\w./-])(?:${folders.join('|')})/[\\w.<>*/-]*[\\w>*]`, 'g');
  return unique(text.match(pattern))
    .filter((file) => !/[<>*]|NNNN/.test(file) && !exists(file))
    .map((file) => `${file} does not exist`);
}

/** A build output exists if its source does. */
function exists(file) {
  const source = file.replace('/dist/', '/src/').replace(/\.js$/, '.ts');
  return existsSync(path.join(root, file)) || existsSync(path.join(root, source));
}

function missingScripts(text) {
  const { scripts } = JSON.parse(readText('package.json'));
  const named = [...text.matchAll(/\bnpm (?:run ([\w:-]+)|(start|test)\b)/g)];
  return unique(named.map(([, run, short]) => run ?? short))
    .filter((name) => !Object.hasOwn(scripts, name))
    .map((name) => `package.json has no script ${name}`);
}

function brokenLinks(document, text) {
  const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target);
  return unique(links)
    .filter((target) => !/^[a-z]+:/.test(target) && !resolves(document, target))
    .map((target) => `the link to ${target} is broken`);
}

function resolves(document, target) {
  const [file, anchor] = target.split('#');
  const place = file === '' ? document : path.posix.join(path.posix.dirname(document), file);
  if (!existsSync(path.join(root, place))) return false;
  return anchor === undefined || listAnchors(readText(place)).includes(anchor);
}

function listAnchors(text) {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** A document names a test by file and title: `path.test.ts`, "title". */
function missingTests(text) {
  return [...text.matchAll(/`([\w./-]+\.test\.ts)`,\s+"([^"]+)"/g)]
    .map(([, file, title]) => ({ file, title: title.replace(/\s+/g, ' ') }))
    .filter(({ file, title }) => exists(file) && !readText(file).includes(title))
    .map(({ file, title }) => `${file} has no test "${title}"`);
}

/** A document names a lint rule as: Biome's `rule`. */
function missingRules(text) {
  const config = readText('biome.json');
  return [...text.matchAll(/Biome's\s+`(\w+)`/g)]
    .map(([, rule]) => rule)
    .filter((rule) => !config.includes(`"${rule}"`))
    .map((rule) => `biome.json has no rule ${rule}`);
}

/** A document names a label of the dashboard as: _Label_. The pages and the titles of settings have it as a whole text. */
function missingLabels(text) {
  const prose = text.replace(/```[\s\S]*?```|`[^`]*`/g, '');
  const labels = [...prose.matchAll(/(?<!\w)_([A-Z][^_]*)_(?!\w)/g)].map(([, label]) => label);
  return unique(labels.map((label) => label.replace(/\s+/g, ' ')))
    .filter((label) => !new RegExp(`[>'"\`\\n]\\s*${label}…?\\s*[<'"\`\\n]`).test(readLabels()))
    .map((label) => `the dashboard has no label "${label}"`);
}

function readLabels() {
  labelSources ??= ['apps/dashboard/src/web', 'packages/shared/src', 'packages/channels/src']
    .flatMap((folder) =>
      readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) =>
        path.join(folder, file),
      ),
    )
    .filter((file) => /\.tsx?$/.test(file) && !file.includes('.test.'))
    .map(readText)
    .join('\n');
  return labelSources;
}

function findUnusedScreenshots(documents) {
  const text = documents.map(readText).join('\n');
  return readdirSync(path.join(root, screenshots))
    .filter((file) => !text.includes(file))
    .map((file) => `no page shows ${screenshots}/${file}`);
}

function readText(file) {
  return readFileSync(path.join(root, file), 'utf8');
}

function unique(values) {
  return [...new Set(values ?? [])];
}
