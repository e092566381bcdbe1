import { createSigner } from '../core/sign.ts';

/** Signs records of the chain, so that whoever can write to Redis still cannot write a record. */
export interface RecordSigner {
  sign(hash: string): string;
  isSigned(hash: string, signature: unknown): boolean;
}

/**
 * @param secrets which only the workers hold: the first one signs; the others, from before it was changed, are still
 * recognized.
 */
export function createRecordSigner(secrets: readonly string[]): RecordSigner {
  const [current, ...former] = secrets.map((secret) => createSigner(secret, 'audit record'));
  if (current === undefined) throw new Error('no secret to sign records with');
  return {
    sign: current.sign,
    isSigned: (hash, signature) =>
      typeof signature === 'string' && [current, ...former].some((signer) => signer.verify(hash, signature)),
  };
}
