/** The table of suites in docs/compatibility.md: takes what was measured, gives its rows. Pure. */

/** The tests of one package on one of the servers. */
interface Side {
  readonly passed: number;
  readonly seconds: number;
  readonly megabytes: number;
}

/** One package on the real server and on ours. */
export interface Measured {
  readonly tests: number;
  /** The number of tests that fare differently. */
  readonly different: number;
  readonly there: Side;
  readonly here: Side;
}

/** Tests and seconds are added up; of the memory, the most that a package took counts. */
export function rowOf(title: string, measured: readonly Measured[]): string {
  const sum = (of: (one: Measured) => number): number => measured.reduce((all, one) => all + of(one), 0);
  const most = (of: (one: Measured) => number): number => Math.max(...measured.map(of));
  const numbers = [
    sum(({ tests }) => tests),
    sum(({ there }) => there.passed),
    sum(({ here }) => here.passed),
    sum(({ different }) => different),
    sum(({ there }) => there.seconds),
    sum(({ here }) => here.seconds),
    most(({ there }) => there.megabytes),
    most(({ here }) => here.megabytes),
  ];
  return `| ${[title, ...numbers.map((one) => one.toFixed(0))].join(" | ")} |`;
}

/** The document with the row in the place of the suite's last one, or after the other rows. Throws if there is no table. */
export function withRow(text: string, row: string): string {
  const lines = text.split("\n");
  const head = lines.findIndex((line) => line.startsWith("| suite |"));
  if (head < 0) throw new Error("the document has no table of suites");
  const name = row.split(" ", 2).join(" ");
  let at = head + 2;
  while (lines[at]?.startsWith("| ") === true && lines[at]?.startsWith(`${name} `) !== true) at++;
  const isThere = lines[at]?.startsWith("| ") === true;
  return lines.toSpliced(at, isThere ? 1 : 0, row).join("\n");
}
