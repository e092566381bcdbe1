/** What a check found: all is well, something to know, or something to do. */
export interface Finding {
  readonly area: string;
  readonly level: 'ok' | 'note' | 'fix';
  readonly what: string;
  /** What to do about it; null unless the level is `fix`. */
  readonly todo: string | null;
}

/** Collects what the checks find, area by area. */
export interface Report {
  area(name: string): void;
  ok(what: string): void;
  note(what: string): void;
  fix(what: string, todo: string): void;
  readonly findings: readonly Finding[];
}

/** @param print takes each line as soon as it is found, so that a slow check shows how far it is. */
export function createReport(print: (text: string) => void): Report {
  const findings: Finding[] = [];
  let area = '';
  const add = (level: Finding['level'], what: string, todo: string | null): void => {
    findings.push({ area, level, what, todo });
    const head = { ok: 'ok   ', note: 'note ', fix: 'FIX  ' }[level];
    print(`  ${head} ${what}\n${todo === null ? '' : `        → ${todo}\n`}`);
  };
  return {
    area(name) {
      area = name;
      print(`\n${name}\n`);
    },
    ok: (what) => add('ok', what, null),
    note: (what) => add('note', what, null),
    fix: (what, todo) => add('fix', what, todo),
    findings,
  };
}
