import { z } from 'zod';
import { WEBHOOK_KINDS } from '../webhook/kind.ts';
import { DATA_SCHEMAS, Envelope } from '../webhook/schema.ts';
import { Refusal } from './response-parts.ts';
import type { Route } from './route.ts';
import { ROUTES } from './routes.ts';
import { SIMULATE_ROUTES } from './simulate.ts';

/** Documents about the sandbox, generated from the zod schemas it uses: OpenAPI, and JSON Schema for webhooks. */

type JsonSchema = Record<string, unknown>;

/** The document at a path of the sandbox. Undefined when there is none. */
export function documentAt(path: string): object | undefined {
  if (path === '/openapi.json') return openApi();
  const kind = WEBHOOK_KINDS.find((each) => path === `/schemas/${each}.json`);
  return kind === undefined ? undefined : webhookSchema(kind);
}

function webhookSchema(kind: (typeof WEBHOOK_KINDS)[number]): JsonSchema {
  return { ...z.toJSONSchema(Envelope.extend({ Data: DATA_SCHEMAS[kind] })), title: `The ${kind} webhook` };
}

/** OpenAPI 3.1 of the API and of `/simulate`. */
export function openApi(): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of ROUTES) {
    const path = `/v4${route.path}`;
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: apiOperation(route) };
  }
  for (const [name, { does, request, response }] of Object.entries(SIMULATE_ROUTES)) {
    paths[`/simulate/${name}`] = {
      post: {
        summary: does,
        security: [],
        requestBody: { required: true, content: json(request, 'input') },
        responses: { 200: { description: 'Done', content: json(response) }, default: refused },
      },
    };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'The sandbox of the card program service',
      version: '4',
      description: 'The API under /v4, and /simulate, which does what merchants, holders and printers would do.',
    },
    security: [{ token: [] }],
    paths,
    webhooks: Object.fromEntries(WEBHOOK_KINDS.map((kind) => [kind, { post: webhookOperation(kind) }])),
    components: {
      securitySchemes: {
        token: { type: 'apiKey', in: 'header', name: 'Authorization', description: '`token T` or `Bearer T`' },
        secret: { type: 'http', scheme: 'basic', description: 'The shared secret of the webhooks' },
      },
    },
  };
}

const refused = { description: 'Refused', content: json(Refusal) };

function apiOperation(route: Route): object {
  const { request, response, status = 200 } = route;
  return {
    summary: route.does,
    ...(route.open === true ? { security: [] } : {}),
    parameters: [...pathParameters(route.path), ...queryParameters(route.query)],
    ...(request === undefined ? {} : { requestBody: { required: true, content: json(request, 'input') } }),
    responses:
      response === undefined
        ? { 410: { ...refused, description: 'Removed' } }
        : { [status]: { description: 'Done', content: json(response) }, default: refused },
    ...(response === undefined ? { deprecated: true } : {}),
  };
}

function webhookOperation(kind: (typeof WEBHOOK_KINDS)[number]): object {
  const { $schema: _, ...schema } = webhookSchema(kind);
  return {
    summary: schema['title'],
    security: [{ secret: [] }],
    requestBody: { required: true, content: { 'application/json': { schema } } },
    responses: { 200: { description: 'Stored; anything else is sent again' } },
  };
}

function pathParameters(path: string): object[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'integer' },
  }));
}

function queryParameters(query: z.ZodObject | undefined): object[] {
  return Object.entries(query?.shape ?? {}).map(([name, schema]) => ({
    name,
    in: 'query',
    required: !z.safeParse(schema, undefined).success,
    schema: bare(schema as z.ZodType, 'input'),
  }));
}

function json(schema: z.ZodType, io: 'input' | 'output' = 'output'): object {
  return { 'application/json': { schema: bare(schema, io) } };
}

/** JSON Schema without its dialect, which is the same in OpenAPI 3.1. */
function bare(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return rest;
}
