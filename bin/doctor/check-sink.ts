import type { WorkerConfig } from '../../src/app/config.ts';
import { openSink } from '../../src/audit/sink.ts';
import { sinkFault } from '../audit/sink-fault.ts';
import { rootMay } from './check-archive.ts';
import type { Report } from './report.ts';

/** Whether the copy of the audit record can be read and, if it is a file, written. It stores nothing there. */
export async function checkSink(
  sink: WorkerConfig['audit']['sink'],
  { isRoot }: { readonly isRoot: boolean },
  report: Report,
): Promise<void> {
  if (sink === null) return;
  try {
    await openSink(sink).check();
  } catch (error) {
    report.fix(
      `AUDIT_SINK cannot be used (${sinkFault(error)})`,
      'correct AUDIT_SINK and its credentials, or let the user of the worker write there; docs/operations.md explains it',
    );
    return;
  }
  if (sink.url.protocol !== 'file:')
    report.note(
      'AUDIT_SINK answers. Whether the copy may be stored there shows with the next record: if not, ops are notified',
    );
  else if (isRoot) report.note(`AUDIT_SINK: its folder exists. ${rootMay}`);
  else report.ok('AUDIT_SINK can be used');
}
