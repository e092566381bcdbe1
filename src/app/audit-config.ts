import type { SinkConfig } from '../audit/sink.ts';
import { shared, worker } from './environment.ts';

export interface AuditConfig {
  /** Sign the record; the first one now, the others before. None: not at hand at this terminal. */
  readonly secrets: readonly string[];
  /** Where its heads are copied to; null: nowhere. */
  readonly sink: SinkConfig | null;
}

/** What the commands read that look at the record, or write to it. */
export const auditVariables = {
  SLACK_API_URL: shared.SLACK_API_URL,
  SLACK_BOT_TOKEN: shared.SLACK_BOT_TOKEN.optional(),
  CARD_API_TOKEN: worker.CARD_API_TOKEN.optional(),
  AUDIT_KEY: worker.AUDIT_KEY,
  AUDIT_SINK: worker.AUDIT_SINK,
  AUDIT_SINK_TOKEN: worker.AUDIT_SINK_TOKEN,
  AWS_ACCESS_KEY_ID: worker.AWS_ACCESS_KEY_ID,
  AWS_SECRET_ACCESS_KEY: worker.AWS_SECRET_ACCESS_KEY,
};

export function auditOf(values: {
  readonly CARD_API_TOKEN?: string | undefined;
  readonly AUDIT_KEY?: readonly string[] | undefined;
  readonly AUDIT_SINK?: URL | undefined;
  readonly AUDIT_SINK_TOKEN?: string | undefined;
  readonly AWS_ACCESS_KEY_ID?: string | undefined;
  readonly AWS_SECRET_ACCESS_KEY?: string | undefined;
}): AuditConfig {
  const { CARD_API_TOKEN, AUDIT_KEY, AUDIT_SINK: url, AUDIT_SINK_TOKEN: token } = values;
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = values;
  return {
    // The web process has neither, so that whoever takes it over cannot write records.
    secrets: AUDIT_KEY ?? (CARD_API_TOKEN === undefined ? [] : [CARD_API_TOKEN]),
    sink: url === undefined ? null : { url, token, accessKeyId, secretAccessKey },
  };
}
