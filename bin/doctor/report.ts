/** The result of a check: fine, something to know, or something to do. */
export interface Finding {
  readonly area: string;
  readonly level: 'ok' | 'note' | 'fix';
  readonly what: string;
  /** What to do about it. Null unless the level is `fix`. */
  readonly todo: string | null;
}

/** Collects the checks' results by area. */
export interface Report {
  area(name: string): void;
  ok(what: string): void;
  note(what: string): void;
  fix(what: string, todo: string): void;
  readonly findings: readonly Finding[];
}

/**
 * @param print called with each line immediately, so that a slow check shows its progress.
 * @param inWords replaces variables by the names under which they must be set.
 */
export function createReport(print: (text: string) => void, inWords = (text: string): string => text): Report {
  const findings: Finding[] = [];
  let area = '';
  const add = (level: Finding['level'], found: string, advice: string | null): void => {
    const [what, todo] = [inWords(found), advice === null ? null : inWords(advice)];
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
