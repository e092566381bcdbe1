import { ApiError } from './api-error.ts';
import { isRecord } from './json.ts';
import { LIMITS } from './limits.ts';
import type { StoredMetadata } from './message.ts';

function isScalar(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

function isFlat(value: unknown): boolean {
  return isRecord(value) && Object.values(value).every(isScalar);
}

function isAllowed(value: unknown): boolean {
  if (isScalar(value) || isFlat(value)) return true;
  return Array.isArray(value) && value.every((item) => isScalar(item) || isFlat(item));
}

/** Message metadata in Slack's shape, or the error that Slack answers. https://docs.slack.dev/messaging/message-metadata */
export function toMetadata(value: unknown): StoredMetadata | undefined {
  if (value === undefined) return undefined;
  if (!isRecord(value)) throw new ApiError('invalid_metadata_format');
  if (Object.keys(value).length === 0) return undefined;
  const { event_type, event_payload } = value;
  if (typeof event_type !== 'string' || event_type === '' || event_type.length > LIMITS.callbackId.max) {
    throw new ApiError('invalid_metadata_format', ['missing required field: event_type [json-pointer:/metadata]']);
  }
  if (!isRecord(event_payload)) {
    throw new ApiError('invalid_metadata_format', ['missing required field: event_payload [json-pointer:/metadata]']);
  }
  for (const [key, item] of Object.entries(event_payload)) {
    if (isAllowed(item)) continue;
    throw new ApiError('invalid_metadata_schema', [`unsupported value [json-pointer:/metadata/event_payload/${key}]`]);
  }
  if (Buffer.byteLength(JSON.stringify(value)) > LIMITS.metadataBytes.max) throw new ApiError('metadata_too_large');
  return { event_type, event_payload };
}
