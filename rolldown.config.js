import { readdirSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { defineConfig } from 'rolldown';

/** Files in a folder and below, as paths from the root of the project. */
const filesIn = (folder, isWanted, recursive = true) =>
  readdirSync(folder, { recursive, withFileTypes: true })
    .filter((entry) => entry.isFile() && isWanted(entry.name))
    .map((entry) => relative('.', `${entry.parentPath}/${entry.name}`));

const isTypeScript = (name) => name.endsWith('.ts');

/** What is started by name: the processes, the commands, and the servers that the benchmarks compare with. */
const programs = ['src', 'bin', 'bench/servers'].flatMap((folder) => filesIn(folder, isTypeScript, false));
// Started by tests and benchmarks only.
if (process.env.NODE_ENV === 'test') programs.push('test/support/paced-worker.ts');

/**
 * A module finds the files beside it (Lua scripts, the page of the local workspace) through `import.meta.url`. In a bundle
 * that is the address of a chunk, so each module is given the address that it would have by itself, and the files are
 * copied to where it looks for them.
 */
const pageOfQueues = 'node_modules/@bull-board/ui/dist';
const filesBesideModules = {
  name: 'files-beside-modules',
  buildStart() {
    const files = [
      ...filesIn('src', (name) => name.endsWith('.lua')),
      ...filesIn('workspace/page', () => true),
      ...filesIn(pageOfQueues, (name) => !name.endsWith('.map')),
    ];
    for (const path of files) this.emitFile({ type: 'asset', fileName: path, source: readFileSync(path) });
  },
  transform: {
    filter: { id: { include: /\.ts$/, exclude: /node_modules/ }, code: 'import.meta.url' },
    // `map: null`: what stands in a line stays in that line.
    handler: (code, id) => ({
      code: code.replaceAll(
        'import.meta.url',
        `new URL('dist:/${relative(import.meta.dirname, id)}', import.meta.url).href`,
      ),
      map: null,
    }),
  },
  renderChunk: (code, { fileName }) => ({
    code: code.replaceAll('dist:/', '../'.repeat(fileName.split('/').length - 1)),
    map: null,
  }),
};

/**
 * A package in CommonJS is a function that is called at the start. V8 compiles a function in parentheses at once, but an
 * arrow function in parentheses it only looks through, and compiles it with the call: a tenth of a start. Packages that
 * use `this` or `arguments` at their top get them as parameters.
 */
const compiledAtOnce = {
  name: 'compiled-at-once',
  renderChunk: (code) => ({
    code: code.replaceAll(/(?<=__commonJSMin\(\()(\([\w$, ]*\)) => \{$/gm, 'function $1 {'),
    map: null,
  }),
};

/**
 * Bundles all programs with their packages: Node takes three times as long to find and read 1,500 small files as to run
 * them, so a process starts in a third of the time.
 */
export default defineConfig({
  input: Object.fromEntries(programs.map((path) => [path.replace(/\.ts$/, ''), path])),
  platform: 'node',
  // Not bundled: a native addition of BullMQ that may be missing, and what only development uses.
  external: ['msgpackr-extract', 'autocannon', 'playwright-core'],
  plugins: [filesBesideModules, compiledAtOnce],
  // Bull Board looks for its page by `eval`, unless it is told where that is, as here.
  checks: { eval: false },
  output: { dir: 'dist', chunkFileNames: 'chunks/[name]-[hash].js', cleanDir: true, sourcemap: true },
});
