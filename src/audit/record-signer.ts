import { createSigner } from '../core/sign.ts';

/** Signs records of the chain, so that whoever can write to Redis still cannot write a record. */
export interface RecordSigner {
  sign(hash: string): string;
  isSigned(hash: string, signature: unknown): boolean;
}

/** @param secrets which only the workers hold. See {@link createSigner}. */
export function createRecordSigner(secrets: readonly string[]): RecordSigner {
  const { sign, verify } = createSigner(secrets, 'audit record');
  return { sign, isSigned: verify };
}
