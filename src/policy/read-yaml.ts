import { type Document, isAlias, isMap, isNode, isScalar, LineCounter, parseDocument, type Scalar, visit } from 'yaml';
import type { z } from 'zod';
import { closest } from '../core/closest.ts';
import { ConfigError } from '../core/errors.ts';

/** Places in a file, as paths of the surrounding keys, with the known keys of each. */
export type KnownKeys = readonly (readonly [RegExp, readonly string[]])[];

interface Given<T> {
  readonly text: string;
  /** The file, for error messages. */
  readonly name: string;
  readonly schema: z.ZodType<T>;
  readonly knownKeys: KnownKeys;
}

/** Parses YAML or JSON written by hand. @throws ConfigError with the line and the reason of each problem. */
export function readYaml<T>({ text, name, schema, knownKeys }: Given<T>): T {
  const lines = new LineCounter();
  const options = { lineCounter: lines, prettyErrors: false, uniqueKeys: true, logLevel: 'error' } as const;
  const document = parseDocument(text, options);
  const faults = document.errors.map(({ code, pos: [at], message }) => {
    const reason = reasons[code] ?? message.split('\n')[0] ?? '';
    return `${name}:${lines.linePos(at).line}: ${reason}`;
  });
  if (faults.length > 0) throw new ConfigError(faults);
  const read = schema.safeParse(plainIn(document, lines, name));
  if (read.success) return read.data;
  throw new ConfigError(
    read.error.issues.flatMap(({ path, message, ...issue }) => {
      const at = path.filter((step) => typeof step !== 'symbol');
      const where = at.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('');
      const problem = (line: number, words: string): string =>
        `${name}:${line}: ${where === '' ? '' : `${where.replace(/^\./, '')}: `}${words}`;
      if (issue.code === 'unrecognized_keys')
        return issue.keys.map((key) => problem(lineOfKey(document, lines, at, key), unknownKey(key, at, knownKeys)));
      const words = issue.code === 'invalid_type' ? shapeWords(issue, message) : message;
      return [problem(lineOf(document, lines, at), words)];
    }),
  );
}

/** Replacements for parser messages that only programmers understand. */
const reasons: Readonly<Record<string, string>> = {
  DUPLICATE_KEY: 'this key is there twice',
  MULTIPLE_DOCS: 'expected one document, without a line ---',
};

/** The same for schema messages. */
function shapeWords({ expected }: { readonly expected: string }, message: string): string {
  if (!message.startsWith('Invalid input')) return message;
  if (expected === 'array') return 'expected a list';
  return expected === 'object' ? 'expected keys with values, such as version: 1' : `expected a ${expected}`;
}

function unknownKey(key: string, at: readonly (string | number)[], knownKeys: KnownKeys): string {
  if (/^\s*(\/\/|\/\*)/.test(key)) return 'comments begin with #, also in JSON';
  const place = at.filter((step) => typeof step === 'string').join('.');
  const keys = knownKeys.find(([fits]) => fits.test(place))?.[1] ?? [];
  const meant = closest(key, keys);
  return `does not know ${key}${meant === null ? `; known here: ${keys.join(', ')}` : `; did you mean ${meant}?`}`;
}

/** Aliases (`*name`) are expanded at most a hundred times, so that a small file cannot become a large one. */
function plainIn(document: Document, lines: LineCounter, name: string): unknown {
  let lost: number | null = null;
  visit(document, (_key, node) => {
    if (isAlias(node) && node.resolve(document) === undefined) lost ??= node.range?.[0] ?? 0;
    if (isScalar(node) && isAmbiguous(node)) node.value = node.source;
  });
  if (lost !== null) throw new ConfigError([`${name}:${lines.linePos(lost).line}: this *name is not defined`]);
  try {
    return document.toJS({ maxAliasCount: 100 }) ?? {};
  } catch {
    throw new ConfigError([`${name}:1: repeats parts (*name) more than a hundred times`]);
  }
}

/** As a number, `1.000` would be 1, although many people write a thousand like that. As a text, no schema accepts it. */
function isAmbiguous({ value, source }: Scalar): boolean {
  return typeof value === 'number' && source !== undefined && /\.\d{3}/.test(source) && source !== String(value);
}

function lineOfKey(document: Document, lines: LineCounter, path: readonly (string | number)[], key: string): number {
  const inside = path.length === 0 ? document.contents : document.getIn(path, true);
  const found = isMap(inside)
    ? inside.items.find(({ key: own }) => isScalar(own) && String(own.value) === key)
    : undefined;
  return isScalar(found?.key) && found.key.range != null
    ? lines.linePos(found.key.range[0]).line
    : lineOf(document, lines, path);
}

/** The line of the value at a path, or of the closest parent that exists. */
function lineOf(document: Document, lines: LineCounter, path: readonly (string | number)[]): number {
  for (let length = path.length; length > 0; length -= 1) {
    const node = document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range != null) return lines.linePos(node.range[0]).line;
  }
  return 1;
}
