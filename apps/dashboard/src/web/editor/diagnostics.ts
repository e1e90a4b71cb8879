import type { Diagnostic } from '@codemirror/lint';
import type { Text } from '@codemirror/state';
import type { PublishProblem } from '../../api/problem';

/** The range of a problem in the text: the placeholder at its position, or its line. */
export function toDiagnostics(doc: Text, problems: readonly PublishProblem[]): Diagnostic[] {
  return problems.flatMap((problem): Diagnostic[] => {
    if (problem.line === undefined || problem.line > doc.lines) return [];
    const line = doc.line(Math.max(1, problem.line));
    const from = Math.min(line.from + Math.max(0, (problem.column ?? 1) - 1), line.to);
    const rest = doc.sliceString(from, line.to);
    const length = /^\{\{[^}]*\}*/.exec(rest)?.[0].length ?? 0;
    const to = length > 0 ? Math.min(from + length, line.to) : line.to;
    return [{ from: Math.min(from, to), to, severity: problem.severity, message: problem.problem }];
  });
}
