import { parseAst } from 'rolldown/parseAst';

/** One change to a source text. */
export interface Mutant {
  readonly start: number;
  readonly end: number;
  readonly to: string;
  /** A description for people: `>= becomes >`. */
  readonly what: string;
}

const operators: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '&&': '||',
  '||': '&&',
  '??': '&&',
};

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

/** Every mutant of a TypeScript source: operators, conditions, booleans, numbers, signs, and emptied strings. */
export function mutantsOf(source: string): Mutant[] {
  const mutants: Mutant[] = [];
  visit(parseAst(source, { lang: 'ts' }) as unknown as Node);
  return mutants.toSorted((one, other) => one.start - other.start);

  function visit(node: Node): void {
    // Types and imports do not exist at run time.
    if (node.type.startsWith('TS') || node.type === 'ImportDeclaration') return;
    mutate(node);
    for (const value of Object.values(node)) {
      for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) visit(child);
    }
  }

  function mutate(node: Node): void {
    const text = source.slice(node.start, node.end);
    if ((node.type === 'BinaryExpression' || node.type === 'LogicalExpression') && isNode(node['left'])) {
      const to = operators[String(node['operator'])];
      const start = source.indexOf(String(node['operator']), node['left'].end);
      if (to !== undefined) add(start, start + String(node['operator']).length, to);
    }
    if ((node.type === 'IfStatement' || node.type === 'ConditionalExpression') && isNode(node['test'])) {
      for (const to of ['true', 'false']) add(node['test'].start, node['test'].end, to);
    }
    if (node.type === 'UnaryExpression' && node['operator'] === '!') add(node.start, node.start + 1, '');
    if (node.type === 'UnaryExpression' && node['operator'] === '-') add(node.start, node.start + 1, '');
    if (node.type !== 'Literal') return;
    if (typeof node['value'] === 'number') add(node.start, node.end, String(node['value'] + 1));
    if (typeof node['value'] === 'boolean') add(node.start, node.end, String(!node['value']));
    if (typeof node['value'] === 'string' && text.length > 2) add(node.start, node.end, "''");
  }

  function add(start: number, end: number, to: string): void {
    mutants.push({ start, end, to, what: `${source.slice(start, end)} becomes ${to === '' ? 'nothing' : to}` });
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}
