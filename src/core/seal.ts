import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

export interface Seal {
  seal(text: string): string;
  /** Null when it was sealed with another key, or changed. */
  open(sealed: string): string | null;
}

/**
 * Encrypts Slack's `response_url` before it goes to Redis, because whoever has one can write to the channel for 30
 * minutes. AES-256-GCM, with a key derived from the bot token, which both processes hold anyway.
 */
export function createSeal(botToken: string): Seal {
  const key = Buffer.from(hkdfSync('sha256', botToken, '', 'cardbell response_url', 32));

  return {
    seal(text) {
      const iv = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', key, iv);
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url');
    },
    open(sealed) {
      try {
        const bytes = Buffer.from(sealed, 'base64url');
        const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12));
        decipher.setAuthTag(bytes.subarray(12, 28));
        return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8');
      } catch {
        return null;
      }
    },
  };
}
