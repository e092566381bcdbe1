import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { documentAt, openApi } from '../../sandbox/api/documents.ts';

interface Operation {
  readonly responses: Record<string, { readonly content: { 'application/json': { readonly schema: object } } }>;
}

// Formats only repeat what the adjacent patterns check.
const ajv = new Ajv2020({ allErrors: true, validateFormats: false });
const { paths } = openApi() as { readonly paths: Record<string, Record<string, Operation>> };
const compiled = new Map<string, ValidateFunction>();

/** Patterns that match requests to paths of the document. Literal segments take precedence over parameters. */
const patterns = Object.keys(paths)
  .map((path) => ({ path, pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}/?$`, 'i') }))
  .sort((a, b) => a.path.split('{').length - b.path.split('{').length);

/** @throws when a response of the sandbox does not fit its OpenAPI document. */
export function assertFitsDocument(method: string, path: string, status: number, body: unknown): void {
  const known = patterns.find(({ path: each, pattern }) => pattern.test(path) && method.toLowerCase() in paths[each]!);
  const responses = known === undefined ? undefined : paths[known.path]![method.toLowerCase()]!.responses;
  // Undocumented paths and injected faults answer with the default refusal.
  const response = responses?.[status] ?? paths['/v4/ping']!['get']!.responses['default']!;
  assertFits(response.content['application/json'].schema, body, `the answer ${status} of ${method} ${path}`);
}

/** @throws when a webhook does not fit its JSON Schema. */
export function assertFitsSchema(kind: string, body: unknown): void {
  const schema = documentAt(`/schemas/${kind}.json`);
  if (schema === undefined) throw new Error(`there is no schema of the webhook ${kind}`);
  assertFits(schema, body, `the webhook ${kind}`);
}

function assertFits(schema: object, body: unknown, what: string): void {
  const key = JSON.stringify(schema);
  const validate = compiled.get(key) ?? ajv.compile(schema);
  compiled.set(key, validate);
  if (!validate(body))
    throw new Error(`${what} does not fit its schema: ${ajv.errorsText(validate.errors)}\n${JSON.stringify(body)}`);
}
