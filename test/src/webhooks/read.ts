import { PayloadError } from '../../../src/core/errors.ts';
import type { StoredEvent } from '../../../src/core/event.ts';
import { toStoredEvent } from '../../../src/webhooks/kind.ts';
import { webhook } from '../../fixtures/webhooks/webhook.ts';

export const receivedAt = '2026-03-02T17:31:08.000Z';

/** Parses a body as the receiver of `path` would. */
export function readBody(body: unknown, path: string, version: string | undefined): StoredEvent {
  return toStoredEvent(body, path, { zone: 'America/New_York', version, receivedAt });
}

/** Parses a fixture, by default at its own receiver. */
export function read(
  name: string,
  data: Record<string, unknown> = {},
  options: { path?: string; version?: string | undefined; callbackTime?: string } = {},
): StoredEvent {
  const { path = 'authorization', callbackTime } = options;
  return readBody(webhook(name, data, callbackTime), path, 'version' in options ? options.version : '2.0.1.3');
}

/** The issues that `read` throws. */
export function issuesOf(run: () => unknown): readonly string[] {
  try {
    run();
  } catch (error) {
    if (error instanceof PayloadError) return error.issues;
    throw error;
  }
  return [];
}
