// A step of npm run check: patterns that mark hard-to-read names and sentences, each with the better form.
// It is a reminder, not a grammar: keep the list short and right. Strings are not judged, except titles of tests.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './commands.mjs';

/** In code: `name` is the identifier. */
const codePatterns = [
  {
    pattern: /\b(?:function|const|let)\s+(?<name>[a-z]\w*Of)\b/,
    better:
      'start a function with a verb (getText, parseDate, countStates), name a value by its role',
  },
  {
    pattern: /\b(?:const|let)\s+(?<name>given|told|said|asked|known|found|wanted|made)\b/,
    better: 'name the data by its role: user, storedUser, response, parsedBody',
  },
  {
    pattern: /\bfunction\s+(?<name>(?:tell|say|note)[A-Z]\w*)\b/,
    better: 'notify…, record…, log… or format…',
  },
];

/** In sentences of comments, documents and titles of tests. */
const sentencePatterns = [
  { pattern: /^(?:Of|Who|Whom|So long)\s/, better: 'begin with the subject' },
  { pattern: /^What\s(?!if\b)[^?]*$/, better: 'name the thing, then say what it does' },
  { pattern: /\b(?:passed over|passes over|put back|puts back)\b/, better: 'failover, requeue' },
  { pattern: /\b(?:keyed call|unkeyed)\b/, better: 'idempotent request, without idempotency key' },
  { pattern: /\bpeal\b/, better: 'channel columns' },
  { pattern: /\btold (?:of|apart|by)\b/, better: 'reported, distinguished' },
];

const problems = listFiles().flatMap(checkFile);
for (const problem of problems) console.error(problem);
if (problems.length > 0) {
  console.error(`${problems.length} places are hard to read.`);
  process.exitCode = 1;
}

function listFiles() {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:tsx?|mjs|md)$/.test(entry.name))
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))
    .filter((name) => !isExempt(name));
}

/** Generated files, and files that quote other code or this list. */
function isExempt(name) {
  return (
    /(?:^|\/)(?:node_modules|dist|generated|mutants|\.\w+)\/|isolation\/exceptions\.fixture\.ts$/.test(
      name,
    ) ||
    name === 'scripts/check-english.mjs' ||
    name === 'CHANGELOG.md'
  );
}

function checkFile(name) {
  const lines = readFileSync(path.join(root, name), 'utf8').split('\n');
  const isDocument = name.endsWith('.md');
  let isQuoted = false;
  return lines.flatMap((line, index) => {
    if (isDocument && line.startsWith('```')) isQuoted = !isQuoted;
    if (isQuoted) return [];
    const place = `${name}:${index + 1}`;
    return [
      ...(isDocument ? [] : judge(line, codePatterns, place)),
      ...listSentences(line, isDocument).flatMap((text) => judge(text, sentencePatterns, place)),
    ];
  });
}

function judge(text, patterns, place) {
  return patterns.flatMap(({ pattern, better }) => {
    const match = pattern.exec(text);
    return match ? [`${place}: "${match.groups?.['name'] ?? text.slice(0, 60)}": ${better}`] : [];
  });
}

/** The beginnings of sentences in a comment, a title of a test, or a paragraph; no headings, no rows of tables. */
function listSentences(line, isDocument) {
  if (isDocument)
    return /^(?:#|\||\s*$|>)/.test(line)
      ? []
      : splitSentences(line.replace(/^\s*(?:[-*]|\d+\.)\s+/, ''), true);
  const comment = /^\s*(?:\/\/|\/\*\*|\*)\s?(.*?)(?:\*\/)?$/.exec(line)?.[1];
  if (comment !== undefined) return splitSentences(comment, /^\s*\/[/*]/.test(line));
  const title = /\b(?:test|describe)\(\s*['"`](.*)['"`],/.exec(line)?.[1];
  return title === undefined ? [] : [title];
}

/** `startsHere`: the line begins a sentence; else only what follows a full stop does. */
function splitSentences(text, startsHere) {
  const sentences = text.trim().split(/(?<=[.:])\s+(?=[A-Z])/);
  return startsHere ? sentences : sentences.slice(1);
}
