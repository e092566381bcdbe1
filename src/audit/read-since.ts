import type { AuditReader, AuditRecord } from './audit.ts';

const FIRST_PAGE = 500;

/** The records since a time, oldest first. The chain only grows, so it is read from its end. What cannot be read is left out. */
export async function readSince({ head, read }: AuditReader, sinceMs: number): Promise<AuditRecord[]> {
  const { count } = await head();
  for (let size = FIRST_PAGE; ; size *= 4) {
    const from = Math.max(1, count - size + 1);
    const records: AuditRecord[] = [];
    for await (const { record } of read({ from })) if (record !== null) records.push(record);
    const [oldest] = records;
    const isAll = from === 1 || (oldest !== undefined && Date.parse(oldest.at) < sinceMs);
    if (isAll) return records.filter(({ at }) => Date.parse(at) >= sinceMs);
  }
}
