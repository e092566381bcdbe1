import { readdirSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { defineConfig } from 'rolldown';

/** Files in a folder and below, as paths from the project root. */
const filesIn = (folder, isWanted, recursive = true) =>
  readdirSync(folder, { recursive, withFileTypes: true })
    .filter((entry) => entry.isFile() && isWanted(entry.name))
    .map((entry) => relative('.', `${entry.parentPath}/${entry.name}`));

const isTypeScript = (name) => name.endsWith('.ts');

/** Programs started by name: the processes, the commands, and the servers that the benchmarks compare with. */
const programs = ['src', 'bin', 'bench/servers'].flatMap((folder) => filesIn(folder, isTypeScript, false));
// Only started by tests and benchmarks.
if (process.env.NODE_ENV === 'test') programs.push('test/support/paced-worker.ts', 'test/support/paced-start.ts');

/**
 * A module finds the files next to it (Lua scripts, the page of the local workspace) through `import.meta.url`. In a
 * bundle that is the URL of a chunk. So each module gets the URL that it would have unbundled, and the files are copied
 * there.
 */
const pageOfQueues = 'node_modules/@bull-board/ui/dist';
const filesBesideModules = {
  name: 'files-beside-modules',
  buildStart() {
    const files = [
      ...['src', 'bin'].flatMap((folder) => filesIn(folder, (name) => name.endsWith('.lua'))),
      ...filesIn('workspace/page', () => true),
      ...filesIn(pageOfQueues, (name) => !name.endsWith('.map')),
    ];
    for (const path of files) this.emitFile({ type: 'asset', fileName: path, source: readFileSync(path) });
  },
  transform: {
    filter: { id: { include: /\.ts$/, exclude: /node_modules/ }, code: 'import.meta.url' },
    // `map: null`: no line moves.
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
 * A CommonJS package is a function that is called at startup. V8 compiles a parenthesized function immediately, but
 * only pre-parses a parenthesized arrow function and compiles it at the call, which costs a tenth of the startup time.
 * Packages that use `this` or `arguments` at the top level get them as parameters.
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
 * them, so a bundled process starts in a third of the time.
 */
export default defineConfig({
  input: Object.fromEntries(programs.map((path) => [path.replace(/\.ts$/, ''), path])),
  platform: 'node',
  // Not bundled: a native add-on of BullMQ that may be missing, and packages for development only.
  external: ['msgpackr-extract', 'autocannon', 'playwright-core'],
  plugins: [filesBesideModules, compiledAtOnce],
  // Bull Board locates its page with `eval`, unless it is configured, as here.
  checks: { eval: false },
  output: { dir: 'dist', chunkFileNames: 'chunks/[name]-[hash].js', cleanDir: true, sourcemap: true },
});
