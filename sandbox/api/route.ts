import type { z } from 'zod';
import type { World } from '../state/world.ts';

/** A request that has been authenticated, limited and parsed. */
export interface ApiRequest {
  readonly world: World;
  readonly params: readonly string[];
  readonly query: URLSearchParams;
  /** Parsed JSON. Undefined when there was no body. */
  readonly body: unknown;
  readonly token: string;
  readonly options: ApiOptions;
}

/** Choices of the operator that shape answers. */
export interface ApiOptions {
  readonly listShape: 'newer' | 'older';
  readonly urlOfVirtualCard: string | undefined;
}

export interface ApiAnswer {
  readonly status: number;
  /** Undefined: no body at all. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One endpoint: method, path with `{Id}` parts, and its handler. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  /** Needs no token. */
  readonly open?: boolean;
  /** One line for the OpenAPI document. */
  readonly does: string;
  /** The request body. Omitted when there is none. */
  readonly request?: z.ZodType;
  readonly query?: z.ZodObject;
  /** The body of its 200 (or `status`). Omitted for endpoints that were removed. */
  readonly response?: z.ZodType;
  readonly status?: 201;
  readonly answer: (request: ApiRequest) => ApiAnswer;
}

/** 200 with a body. */
export function ok(body: unknown = {}): ApiAnswer {
  return { status: 200, body };
}

interface CompiledRoute extends Route {
  readonly pattern: RegExp;
}

/** The result for a path and method: a route with its parameters, or the routes of the path for other methods. */
type Match = { readonly route: Route; readonly params: readonly string[] } | { readonly others: readonly Route[] };

/** Finds routes. Ignores case and a trailing slash. */
export function createRouter(routes: readonly Route[]): (method: string, path: string) => Match {
  const compiled: CompiledRoute[] = routes.map((route) => ({
    ...route,
    pattern: new RegExp(`^${route.path.replace(/\{[^}]+\}/g, '([^/]+)')}/?$`, 'i'),
  }));
  return (method, path) => {
    const others: Route[] = [];
    for (const route of compiled) {
      const found = route.pattern.exec(path);
      if (found === null) continue;
      if (route.method === method) return { route, params: found.slice(1).map(decodeURIComponent) };
      others.push(route);
    }
    return { others };
  };
}
