import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments, stringify } from 'yaml';

/**
 * Renders a Helm chart without Helm. Supports only the Go template syntax and Sprig functions that our chart uses. Anything
 * else is an error, so that the chart stays within the tested subset.
 */

type Value = unknown;
type Scope = { readonly dot: Value; readonly variables: ReadonlyMap<string, Value> };
type Node =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'output'; readonly pipeline: string }
  | Block;
interface Block {
  readonly kind: 'block';
  readonly name: string;
  readonly head: string;
  readonly body: Node[];
  readonly otherwise: Node[];
}

/** Kubernetes objects of the chart in `folder`, with `overrides` merged over its values. */
export function renderChart(folder: string, overrides: object = {}): Record<string, unknown>[] {
  const chart = parse(readFileSync(join(folder, 'Chart.yaml'), 'utf8')) as Record<string, unknown>;
  const values = merge(parse(readFileSync(join(folder, 'values.yaml'), 'utf8')), overrides);
  const names = readdirSync(join(folder, 'templates')).toSorted();
  const files = names.map((name) => ({
    name,
    nodes: parseTemplate(readFileSync(join(folder, 'templates', name), 'utf8')),
  }));
  const defines = new Map(
    files.flatMap(({ nodes }) =>
      nodes.flatMap((node) =>
        node.kind === 'block' && node.name === 'define' ? [[unquote(node.head), node.body]] : [],
      ),
    ) as [string, Node[]][],
  );
  const Chart = Object.fromEntries(
    Object.entries(chart).map(([name, value]) => [`${name[0]?.toUpperCase()}${name.slice(1)}`, value]),
  );
  const dot = { Values: values, Chart, Release: { Name: 'test', Service: 'Helm' } };
  const scope: Scope = { dot, variables: new Map([['$', dot]]) };
  return files
    .filter(({ name }) => name.endsWith('.yaml'))
    .flatMap(({ nodes }) => parseAllDocuments(render(nodes, scope, defines)))
    .map((document) => {
      if ('errors' in document && document.errors[0] !== undefined) throw document.errors[0];
      return document.toJS() as Record<string, unknown> | null;
    })
    .filter((object) => object !== null);
}

function parseTemplate(text: string): Node[] {
  const trimmed = text.replaceAll(/\s*\{\{-/g, '{{').replaceAll(/-\}\}\s*/g, '}}');
  const stack: { body: Node[]; block: Block | null }[] = [{ body: [], block: null }];
  for (const part of trimmed.split(/(\{\{[\s\S]*?\}\})/)) {
    const top = stack.at(-1);
    if (top === undefined) throw new Error('unexpected end');
    const action = /^\{\{\s*([\s\S]*?)\s*\}\}$/.exec(part)?.[1];
    const [, name = '', head = ''] = /^(if|with|range|define|else|end)\b\s*([\s\S]*)$/.exec(action ?? '') ?? [];
    if (action === undefined) top.body.push({ kind: 'text', text: part });
    else if (name === 'end') stack.pop();
    else if (name === 'else') {
      if (top.block === null || head !== '') throw new Error(`unsupported template syntax: ${action}`);
      top.body = top.block.otherwise;
    } else if (name !== '') {
      const body: Node[] = [];
      const block: Block = { kind: 'block', name, head, body, otherwise: [] };
      top.body.push(block);
      stack.push({ body, block });
    } else top.body.push({ kind: 'output', pipeline: action });
  }
  return stack[0]?.body ?? [];
}

function render(nodes: readonly Node[], scope: Scope, defines: ReadonlyMap<string, Node[]>): string {
  const evaluate = (pipeline: string, at = scope): Value => evaluatePipeline(pipeline, at, defines);
  return nodes
    .map((node): string => {
      if (node.kind === 'text') return node.text;
      if (node.kind === 'output') return asText(evaluate(node.pipeline));
      const { name, head, body, otherwise } = node;
      if (name === 'define') return '';
      if (name === 'range') return renderRange(head, body, scope, defines);
      const value = evaluate(head);
      if (!isTrue(value)) return render(otherwise, scope, defines);
      return render(body, name === 'with' ? { ...scope, dot: value } : scope, defines);
    })
    .join('');
}

function renderRange(head: string, body: readonly Node[], scope: Scope, defines: ReadonlyMap<string, Node[]>): string {
  const [, key, item, pipeline = head] = /^\$(\w+), \$(\w+) := (.*)$/.exec(head) ?? [];
  const value = evaluatePipeline(pipeline, scope, defines);
  return Object.entries(value as object)
    .map(([name, dot]) => {
      const named =
        key === undefined || item === undefined
          ? []
          : ([
              [`$${key}`, name],
              [`$${item}`, dot],
            ] as const);
      return render(body, { dot, variables: new Map([...scope.variables, ...named]) }, defines);
    })
    .join('');
}

const functions: Readonly<Record<string, (...args: Value[]) => Value>> = {
  nindent: (width, text) => `\n${indent(Number(width), String(text))}`,
  toYaml: (value) => stringify(value).trimEnd(),
  toJson: (value) => JSON.stringify(value),
  quote: (value) => JSON.stringify(asText(value)),
  toString: asText,
  printf: (_format, value) => value,
  trunc: (length, text) => String(text).slice(0, Number(length)),
  trimSuffix: (suffix, text) => (String(text).endsWith(String(suffix)) ? String(text).slice(0, -1) : text),
  default: (fallback, value) => (isTrue(value) ? value : fallback),
  sha256sum: (text) => createHash('sha256').update(String(text)).digest('hex'),
  list: (...items) => items,
  or: (...values) => values.find(isTrue) ?? values.at(-1),
  ne: (left, right) => left !== right,
};

/** `a | f x` is `f x a`. Parentheses contain a nested pipeline. */
function evaluatePipeline(pipeline: string, scope: Scope, defines: ReadonlyMap<string, Node[]>): Value {
  let piped: Value[] = [];
  for (const stage of pipeline.split(' | ')) {
    const words = stage.match(/\([^()]*\)|"[^"]*"|\S+/g) ?? [];
    const [first = '', ...rest] = words;
    const args = rest.map((word) => evaluateWord(word, scope, defines));
    if (first === 'include') {
      const body = defines.get(String(args[0]));
      if (body === undefined) throw new Error(`unknown template ${String(args[0])}`);
      piped = [render(body, { ...scope, dot: args[1] }, defines)];
    } else if (functions[first] !== undefined) piped = [functions[first](...args, ...piped)];
    else if (rest.length === 0) piped = [evaluateWord(first, scope, defines)];
    else throw new Error(`unsupported template syntax: ${stage}`);
  }
  return piped[0];
}

function evaluateWord(word: string, scope: Scope, defines: ReadonlyMap<string, Node[]>): Value {
  if (word.startsWith('(')) return evaluatePipeline(word.slice(1, -1), scope, defines);
  if (word.startsWith('"')) return unquote(word);
  if (/^\d+$/.test(word)) return Number(word);
  const [, start = '', path = ''] = /^(\$\w*|)((?:\.\w*)*)$/.exec(word) ?? [];
  if (start === '' && path === '') throw new Error(`unsupported template syntax: ${word}`);
  const names = path.split('.').filter((name) => name !== '');
  const from = start === '' ? scope.dot : scope.variables.get(start);
  return names.reduce<Value>((value, name) => (value as Record<string, Value> | undefined)?.[name], from);
}

const isTrue = (value: Value): boolean =>
  Array.isArray(value)
    ? value.length > 0
    : typeof value === 'object' && value !== null
      ? Object.keys(value).length > 0
      : Boolean(value);
const unquote = (text: string): string => text.replaceAll('"', '');
const indent = (width: number, text: string): string => text.replaceAll(/^/gm, ' '.repeat(width));
function asText(value: Value): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function merge(values: unknown, overrides: object): unknown {
  if (typeof values !== 'object' || values === null || Array.isArray(values)) return overrides;
  const merged: Record<string, unknown> = { ...values };
  for (const [name, value] of Object.entries(overrides)) {
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    merged[name] = isObject ? merge(merged[name], value as object) : value;
  }
  return merged;
}
